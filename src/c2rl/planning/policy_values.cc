#include "c2rl/planning/policy_values.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {

PolicyValues::PolicyValues(const TabularModel& model, const StateOrder& order, const Matrix& expected,
                           const std::vector<std::int32_t>& actions, Refinement* refinement)
    : model_(model),
      order_(order),
      expected_(expected),
      actions_(actions),
      unit_(refinement ? refinement->equations().units() : units_of(expected)),
      per_unit_(unit_.cwiseInverse()),
      refinement_(refinement) {}

/// visit(a state that the action leads to, its probability, discounted).
template <typename Visit>
void PolicyValues::for_each_entry(int state, Visit visit) const {
  const int k = choice(state);
  for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e)
    visit(model_.next[e], model_.discount * model_.probability[e]);
}

/// What the action measures at once.
auto PolicyValues::cost(int state) const {
  return expected_.col(choice(state)).cwiseProduct(per_unit_);
}

/// The equation of a state's values goes to the end of `rows`, as far as it depends on the component at hand.
void PolicyValues::append_row(int state, SparseRows& rows) const {
  for_each_entry(state, [&](int next, double factor) {
    if (place_[next] < 0) return;
    rows.column.push_back(place_[next]);
    rows.value.push_back(factor);
  });
  rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
}

/// Solves the equation of a state that comes back to itself at once or not at all, given what it leads to.
void PolicyValues::settle_single(int state) {
  double back = 0;
  Vector sum = cost(state);
  for_each_entry(state, [&](int next, double factor) {
    if (next == state) {
      back += factor;
    } else {
      sum += factor * values_.col(next);
    }
  });
  values_.col(state) = sum / (1 - back);
}

/// Solves the equations of a component, given what it leads to, from nothing.
void PolicyValues::settle(std::span<const std::int32_t> members, const Pulse& listener) {
  const int n = static_cast<int>(members.size());
  if (place_.empty()) place_.assign(model_.states, -1);
  for (int i = 0; i < n; ++i) {
    place_[members[i]] = i;
    values_.col(members[i]).setZero();
  }
  SparseRows rows;
  Matrix b(values_.rows(), n), x = Matrix::Zero(values_.rows(), n);
  for (int i = 0; i < n; ++i) {
    append_row(members[i], rows);
    b.col(i) = cost(members[i]);
    for_each_entry(members[i], [&](int next, double factor) { b.col(i) += factor * values_.col(next); });
  }
  sweeps_ += Relaxation(std::move(rows)).approach(b, x, 0, listener);
  for (int i = 0; i < n; ++i) values_.col(members[i]) = x.col(i);
  for (const int s : members) place_[s] = -1;
}

void PolicyValues::solve(const Pulse& listener) {
  residual_ = refinement_ ? refinement_->finish(listener) : std::nullopt;
  if (residual_) return;
  values_.setZero(model_.dim(), model_.states);
  for (int c = 0; c < order_.components(); ++c) {
    const auto members = order_.component(c);
    if (members.size() == 1) {
      settle_single(members[0]);
    } else {
      settle(members, listener);
    }
  }
}

/// The largest amount, in units, by which an equation does not hold, rounding included.
template <int kDim>
double PolicyValues::largest_residual() const {
  const int dim = kDim > 0 ? kDim : model_.dim();
  double largest = 0;
  std::vector<double> scratch(2 * static_cast<std::size_t>(dim));
  double fixed[2 * std::max(kDim, 1)];
  double* const off = kDim > 0 ? fixed : scratch.data();
  double* const size = off + dim;
  for (const int s : order_.states()) {
    const auto measured = cost(s);
    for (int j = 0; j < dim; ++j) {
      off[j] = measured[j] - values_(j, s);
      size[j] = std::abs(measured[j]) + std::abs(values_(j, s));
    }
    int terms = 2;
    for_each_entry(s, [&](int next, double factor) {
      for (int j = 0; j < dim; ++j) {
        const double term = factor * values_(j, next);
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

Evaluation PolicyValues::evaluation() const {
  const double residual =
      residual_ ? *residual_
                : with_systems(model_.dim(), [&](auto dim) { return largest_residual<dim()>(); });
  // In blocks, so that as many roundings as there are states do not add up.
  constexpr int kBlock = 1024;
  const int blocks = (model_.states + kBlock - 1) / kBlock;
  Vector sum = Vector::Zero(model_.dim()), size = sum;
  for (int b = 0; b < blocks; ++b) {
    const int first = b * kBlock, count = std::min(kBlock, model_.states - first);
    const auto part = values().middleCols(first, count);
    const auto start = model_.start.segment(first, count);
    if (start.isZero(0)) continue;
    sum += part * start;
    size += part.cwiseAbs() * start;
  }
  Evaluation result;
  result.measurement = sum.cwiseProduct(unit_);
  result.steps = 1 / (1 - model_.discount);
  // What is off in an equation counts in every step.
  result.error =
      residual * result.steps * unit_.maxCoeff() +
      kEpsilon * (std::min(kBlock, model_.states) + blocks + 1) * size.cwiseProduct(unit_).maxCoeff();
  return result;
}

Eigen::MatrixXf PolicyValues::beyond(const Vector& measurement) const {
  Eigen::MatrixXf result(values().rows(), values().cols());
  const Vector common = measurement.cwiseProduct(per_unit_);
  for (Eigen::Index s = 0; s < result.cols(); ++s)
    result.col(s) = (values().col(s) - common).cwiseProduct(unit_).cast<float>();
  if (!result.allFinite()) result.resize(0, 0);
  return result;
}

std::optional<double> PolicyValues::off_along(const Vector& direction) const {
  if (!residual_) return std::nullopt;
  const Vector size = direction.cwiseProduct(unit_).cwiseAbs();
  // Added up, for a state and for what it leads to, are a number for each measurement; and so is what costs at once, where
  // nothing is larger than two units.
  const double added = size.dot(largest_by_row(values())) + size.sum();
  return size.sum() * *residual_ + 2 * kEpsilon * (model_.dim() + 1) * added;
}

std::vector<double> PolicyValues::along(const Vector& direction) const {
  std::vector<double> result(model_.states);
  Eigen::Map<Vector>(result.data(), model_.states) = values().transpose() * direction.cwiseProduct(unit_);
  return result;
}

}  // namespace c2rl
