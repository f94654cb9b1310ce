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

/// Looks that decay may seem slow at before it is: until what is on its way has mixed.
constexpr int kMixing = 8;

/// What is missing, computed anew from the visits, is rounding up to this part of them; more is passed on, a few
/// times.
constexpr double kRounding = 3 * kEpsilon;
constexpr int kRefinements = 2;

/// What may be left on its way, as a part of all visits: no more than rounding leaves of them.
constexpr double kLeft = kEpsilon / 4;

class Passing {
 public:
  Passing(const SparseRows& matrix, const Vector& b, const Pulse& listener)
      : matrix_(matrix), listener_(listener), waiting_(b), x_(Vector::Zero(b.size())) {}

  Vector solve() {
    if (loses_everywhere() && pass_on_everywhere()) return std::move(x_);
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

  /// A part of what is on its way is lost in every state, as with a discount: it may settle without any order.
  bool loses_everywhere() const {
    constexpr double kPart = 1e-4;
    for (int i = 0; i < matrix_.size(); ++i) {
      double sum = 0;
      for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e) sum += matrix_.value[e];
      if (sum > 1 - kPart) return false;
    }
    return true;
  }

  /// Whether that came to an end.
  bool pass_on_everywhere() {
    Vector keeps(matrix_.size());
    for (int i = 0; i < matrix_.size(); ++i) keeps[i] = 1 - diagonal(i);
    if (pass_on(matrix_, keeps, waiting_, x_)) return true;
    x_.setZero();
    return false;
  }

  /// The visits of a component's members, where all that arrives from outside is waiting.
  void settle(std::span<const std::int32_t> members) {
    const int n = static_cast<int>(members.size());
    for (int i = 0; i < n; ++i) local_[members[i]] = i;
    Vector arrived(n), keeps(n);
    for (int i = 0; i < n; ++i) {
      arrived[i] = waiting_[members[i]];
      keeps[i] = 1 - diagonal(members[i]);
    }
    if (arrived.isZero(0)) return;
    SparseRows part;
    if (n < matrix_.size()) part = inner(members);
    const SparseRows& rows = n < matrix_.size() ? part : matrix_;
    pulse(listener_);
    Vector visits = Vector::Zero(n);
    if (!pass_on(rows, keeps, arrived, visits))
      visits = solve_fixed_point(rows.transposed(), arrived, listener_);
    for (int i = 0; i < n; ++i) x_[members[i]] = visits[i];
  }

  SparseRows inner(std::span<const std::int32_t> members) const {
    SparseRows rows;
    for (const int i : members) {
      for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e) {
        if (local_[matrix_.column[e]] < 0) continue;
        rows.column.push_back(local_[matrix_.column[e]]);
        rows.value.push_back(matrix_.value[e]);
      }
      rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
    }
    return rows;
  }

  /// Whether it came to an end: not where the part that is on its way decays too slowly.
  bool pass_on(const SparseRows& rows, const Vector& keeps, const Vector& arrived, Vector& visits) const {
    Vector waiting = arrived, before, passed;
    double last = waiting.lpNorm<1>();
    int slow = 0, refined = 0;
    for (;;) {
      for (int i = 0; i < kSweepsPerLook; ++i) {
        pulse(listener_);
        if (i + 1 == kSweepsPerLook) {
          before = waiting;
          passed = visits;
        }
        pass_once(rows, keeps, waiting, visits);
      }
      // What has mixed decays at the discount's rate only, but alike everywhere: the sum of all sweeps that
      // follow is a multiple of the last one, such that as much is waiting as is missing.
      double left = waiting.lpNorm<1>();
      const double factor = waiting.sum() / (before - waiting).sum();
      if (2 * (waiting - factor * (before - waiting)).lpNorm<1>() < left) {
        visits += factor * (visits - passed);
        waiting -= factor * (before - waiting);
        left = waiting.lpNorm<1>();
      }
      const double enough = kLeft * visits.lpNorm<1>();
      if (left <= enough) {
        // What is waiting was kept up to date, with rounding; now as it is.
        waiting = missing(rows, arrived, visits);
        left = waiting.lpNorm<1>();
        if (left <= kRounding * visits.lpNorm<1>() || ++refined > kRefinements) return true;
        slow = 0;
      } else if (std::log(left / enough) > std::log(last / left) / kSweepsPerLook * kTransposeWorth &&
                 ++slow > kMixing) {
        return false;
      }
      last = left;
    }
  }

  /// What came back to a state is in what it keeps.
  static void pass_once(const SparseRows& rows, const Vector& keeps, Vector& waiting, Vector& visits) {
    for (int i = 0; i < rows.size(); ++i) {
      if (waiting[i] == 0) continue;
      const double passing = waiting[i] / keeps[i];
      visits[i] += passing;
      for (int e = rows.begin[i]; e < rows.begin[i + 1]; ++e) {
        waiting[rows.column[e]] += rows.value[e] * passing;
      }
      waiting[i] = 0;
    }
  }

  static Vector missing(const SparseRows& rows, const Vector& arrived, const Vector& visits) {
    Vector result = arrived - visits;
    for (int i = 0; i < rows.size(); ++i) {
      for (int e = rows.begin[i]; e < rows.begin[i + 1]; ++e) {
        result[rows.column[e]] += rows.value[e] * visits[i];
      }
    }
    return result;
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
