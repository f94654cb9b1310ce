#include "c2rl/planning/policy_values.h"

#include <algorithm>
#include <cmath>

#include "c2rl/mdp/relaxation.h"
#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

/// The equations of a policy, measurement by measurement in units of its own: a power of two, which costs no rounding, so
/// that small measurements are as accurate as large ones.
class Equations {
 public:
  Equations(const TabularModel& model, const Matrix& expected, std::span<const std::int32_t> actions)
      : model_(model), expected_(expected), actions_(actions), unit_(model.dim()) {
    for (int i = 0; i < model.dim(); ++i) {
      const double largest = expected.cols() == 0 ? 0 : expected.row(i).lpNorm<Eigen::Infinity>();
      unit_[i] = largest == 0 ? 1 : std::exp2(std::ilogb(largest));
    }
    per_unit_ = unit_.cwiseInverse();
  }

  const Vector& unit() const { return unit_; }
  int choice(int state) const { return model_.choice_begin[state] + actions_[state]; }
  /// What its action measures.
  auto cost(int state) const { return expected_.col(choice(state)).cwiseProduct(per_unit_); }
  template <typename Visit>
  void for_each_entry(int state, Visit visit) const {
    const int k = choice(state);
    for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e)
      visit(model_.next[e], model_.discount * model_.probability[e]);
  }

 private:
  const TabularModel& model_;
  const Matrix& expected_;
  const std::span<const std::int32_t> actions_;
  Vector unit_, per_unit_;
};

/// Solves that of a state which comes back to itself at once or not at all, given what it leads to.
void settle_single(const Equations& equations, int state, Matrix& values) {
  double back = 0;
  Vector sum = equations.cost(state);
  equations.for_each_entry(state, [&](int next, double factor) {
    if (next == state) {
      back += factor;
    } else {
      sum += factor * values.col(next);
    }
  });
  values.col(state) = sum / (1 - back);
}

SparseRows rows_of(const Equations& equations, std::span<const std::int32_t> members,
                   std::vector<std::int32_t>& place) {
  const int n = static_cast<int>(members.size());
  for (int i = 0; i < n; ++i) place[members[i]] = i;
  SparseRows rows;
  rows.begin.reserve(n + 1);
  for (const int s : members) {
    equations.for_each_entry(s, [&](int next, double factor) {
      if (place[next] < 0) return;
      rows.column.push_back(place[next]);
      rows.value.push_back(factor);
    });
    rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
  }
  for (const int s : members) place[s] = -1;
  return rows;
}

/// Solves the equations of a component, whose rows are relaxed, given what it leads to; `leads_out` unless that is nothing.
/// Its own values are 0 before. Returns the sweeps it took.
int settle(const Equations& equations, std::span<const std::int32_t> members, bool leads_out,
           Relaxation& relaxation, Matrix& values, const Pulse& listener) {
  const int n = static_cast<int>(members.size());
  Matrix b(values.rows(), n), x = Matrix::Zero(values.rows(), n);
  for (int i = 0; i < n; ++i) {
    b.col(i) = equations.cost(members[i]);
    if (leads_out) {
      equations.for_each_entry(members[i],
                               [&](int next, double factor) { b.col(i) += factor * values.col(next); });
    }
  }
  const int sweeps = relaxation.approach(b, x, 0, listener);
  for (int i = 0; i < n; ++i) values.col(members[i]) = x.col(i);
  return sweeps;
}

/// The largest amount, in units, by which an equation does not hold, rounding included.
template <int kDim>
double largest_residual(const Equations& equations, const StateOrder& order, const Matrix& values) {
  const int dim = kDim > 0 ? kDim : static_cast<int>(values.rows());
  double largest = 0;
  std::vector<double> scratch(2 * static_cast<std::size_t>(dim));
  double fixed[2 * std::max(kDim, 1)];
  double* const off = kDim > 0 ? fixed : scratch.data();
  double* const size = off + dim;
  for (const int s : order.states()) {
    const auto cost = equations.cost(s);
    for (int j = 0; j < dim; ++j) {
      off[j] = cost[j] - values(j, s);
      size[j] = std::abs(cost[j]) + std::abs(values(j, s));
    }
    int terms = 2;
    equations.for_each_entry(s, [&](int next, double factor) {
      for (int j = 0; j < dim; ++j) {
        const double term = factor * values(j, next);
        off[j] += term;
        size[j] += std::abs(term);
      }
      ++terms;
    });
    for (int j = 0; j < dim; ++j)
      largest = std::max(largest, std::abs(off[j]) + kEpsilon * (terms + 1) * size[j]);
  }
  return largest;
}

}  // namespace

PolicyValues::PolicyValues(const TabularModel& model, const StateOrder& order, const Matrix& expected,
                           std::span<const std::int32_t> actions, Relaxation* whole, const Pulse& listener)
    : values_(Matrix::Zero(model.dim(), model.states)) {
  const Equations equations(model, expected, actions);
  if (whole) {
    sweeps_ = settle(equations, order.states(), false, *whole, values_, listener);
  } else {
    std::vector<std::int32_t> place(model.states, -1);
    for (int c = 0; c < order.components(); ++c) {
      const auto members = order.component(c);
      if (members.size() == 1) {
        settle_single(equations, members[0], values_);
      } else {
        Relaxation rows(rows_of(equations, members, place));
        sweeps_ += settle(equations, members, order.components() > 1, rows, values_, listener);
      }
    }
  }
  const double residual =
      with_systems(model.dim(), [&](auto dim) { return largest_residual<dim()>(equations, order, values_); });
  values_.array().colwise() *= equations.unit().array();
  // In blocks, so that as many roundings as there are states do not add up.
  constexpr int kBlock = 1024;
  const int blocks = (model.states + kBlock - 1) / kBlock;
  Vector size = Vector::Zero(model.dim());
  evaluation_.measurement = Vector::Zero(model.dim());
  for (int b = 0; b < blocks; ++b) {
    const int count = std::min(kBlock, model.states - b * kBlock);
    const auto part = values_.middleCols(b * kBlock, count);
    const auto start = model.start.segment(b * kBlock, count);
    evaluation_.measurement += part * start;
    size += part.cwiseAbs() * start;
  }
  evaluation_.steps = 1 / (1 - model.discount);
  // What is off in an equation counts in every step.
  evaluation_.error = residual * evaluation_.steps * equations.unit().maxCoeff() +
                      kEpsilon * (std::min(kBlock, model.states) + blocks + 1) * size.maxCoeff();
}

std::vector<double> PolicyValues::along(const Vector& direction) const {
  std::vector<double> result(values_.cols());
  Eigen::Map<Vector>(result.data(), values_.cols()) = values_.transpose() * direction;
  return result;
}

}  // namespace c2rl
