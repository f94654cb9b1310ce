#include "c2rl/mdp/visits.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace c2rl {
namespace {

/// Sweeps between two looks at how much is still on its way.
constexpr int kSweepsPerLook = 4;

/// Sweeps that cost as much as transposing and solving by other means.
constexpr double kTransposeWorth = 150;

/// What may be left on its way, as a part of all visits: no more than rounding leaves of them.
constexpr double kLeft = kEpsilon / 4;

class Passing {
 public:
  Passing(const SparseRows& matrix, const Vector& b, const Pulse& listener)
      : matrix_(matrix), listener_(listener), waiting_(b), x_(Vector::Zero(b.size())) {}

  Vector solve() {
    Components parts = components(matrix_);
    local_.assign(matrix_.size(), -1);
    for (int c = parts.size() - 1; c >= 0; --c) {
      const std::span members(parts.members.data() + parts.begin[c], parts.of(c).size());
      std::ranges::sort(members);  // memory is read in order
      if (members.size() > 1) {
        settle(members);
      } else {
        x_[members[0]] = waiting_[members[0]] / (1 - diagonal(members[0]));
      }
      for (const int i : members) {
        for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e) {
          if (local_[matrix_.column[e]] < 0) waiting_[matrix_.column[e]] += matrix_.value[e] * x_[i];
        }
      }
      for (const int i : members) local_[i] = -1;
    }
    return std::move(x_);
  }

 private:
  double diagonal(int i) const {
    double sum = 0;
    for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e) {
      if (matrix_.column[e] == i) sum += matrix_.value[e];
    }
    return sum;
  }

  /// The visits of a component's members, where all that arrives from outside is waiting.
  void settle(std::span<const std::int32_t> members) {
    const int n = static_cast<int>(members.size());
    for (int i = 0; i < n; ++i) local_[members[i]] = i;
    SparseRows inner;
    Vector arrived(n), keeps(n);
    for (int i = 0; i < n; ++i) {
      arrived[i] = waiting_[members[i]];
      keeps[i] = 1 - diagonal(members[i]);
      for (int e = matrix_.begin[members[i]]; e < matrix_.begin[members[i] + 1]; ++e) {
        const int j = local_[matrix_.column[e]];
        if (j < 0 || j == i) continue;
        inner.column.push_back(j);
        inner.value.push_back(matrix_.value[e]);
      }
      inner.begin.push_back(static_cast<std::int32_t>(inner.column.size()));
    }
    if (arrived.isZero(0)) return;
    pulse(listener_);
    Vector visits = Vector::Zero(n);
    if (!pass_on(inner, keeps, arrived, visits)) {
      // Each row scaled by what its state keeps: x_i keeps_i = b_i + (M' x)_i.
      SparseRows inflow = inner.transposed();
      for (int i = 0; i < n; ++i) {
        for (int e = inflow.begin[i]; e < inflow.begin[i + 1]; ++e) inflow.value[e] /= keeps[i];
      }
      visits = solve_fixed_point(inflow, arrived.cwiseQuotient(keeps), listener_);
    }
    for (int i = 0; i < n; ++i) x_[members[i]] = visits[i];
  }

  /// Whether it came to an end: not where the part that is on its way decays too slowly.
  bool pass_on(const SparseRows& inner, const Vector& keeps, const Vector& arrived, Vector& visits) const {
    Vector waiting = arrived;
    double last = waiting.lpNorm<1>();
    for (;;) {
      for (int i = 0; i < kSweepsPerLook; ++i) {
        pulse(listener_);
        pass_once(inner, keeps, waiting, visits);
      }
      // Visits that lack a constant factor lack what passes at the discount's rate only; with the factor,
      // as much is waiting as is missing.
      const double passed = (arrived - waiting).sum();
      const double factor = waiting.sum() / passed;
      double left = waiting.lpNorm<1>();
      if (2 * (waiting - factor * (arrived - waiting)).lpNorm<1>() < left) {
        visits *= 1 + factor;
        waiting -= factor * (arrived - waiting);
        left = waiting.lpNorm<1>();
      }
      const double all = visits.lpNorm<1>();
      if (left <= kLeft * all) return true;
      const double decay = std::log(last / left) / kSweepsPerLook;
      if (std::log(left / (kLeft * all)) > std::max(decay, 0.0) * kTransposeWorth) return false;
      last = left;
    }
  }

  static void pass_once(const SparseRows& inner, const Vector& keeps, Vector& waiting, Vector& visits) {
    for (int i = 0; i < inner.size(); ++i) {
      if (waiting[i] == 0) continue;
      const double passing = waiting[i] / keeps[i];
      visits[i] += passing;
      waiting[i] = 0;
      for (int e = inner.begin[i]; e < inner.begin[i + 1]; ++e) {
        waiting[inner.column[e]] += inner.value[e] * passing;
      }
    }
  }

  const SparseRows& matrix_;
  const Pulse& listener_;
  Vector waiting_;  // arrived in components that were not settled yet
  Vector x_;
  std::vector<std::int32_t> local_;  // a row's place in the component being settled, else -1
};

}  // namespace

Vector solve_visits(const SparseRows& matrix, const Vector& b, const Pulse& listener) {
  return Passing(matrix, b, listener).solve();
}

double visits_residual_bound(const SparseRows& matrix, const Vector& b, const Vector& x) {
  Vector off = b - x, size = b.cwiseAbs() + x.cwiseAbs();
  std::vector<std::int32_t> terms(matrix.size(), 2);
  for (int i = 0; i < matrix.size(); ++i) {
    for (int e = matrix.begin[i]; e < matrix.begin[i + 1]; ++e) {
      const double term = matrix.value[e] * x[i];
      off[matrix.column[e]] += term;
      size[matrix.column[e]] += std::abs(term);
      ++terms[matrix.column[e]];
    }
  }
  double bound = 0;
  for (int i = 0; i < matrix.size(); ++i) bound += std::abs(off[i]) + kEpsilon * terms[i] * size[i];
  return bound;
}

}  // namespace c2rl
