#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "c2rl/base/vector.h"

namespace c2rl {

/// X = B + X M' for sparse rows M, as arrays in one precision: `systems` numbers of B and X for each row, side by side.
template <typename Real>
struct RelaxedRows {
  std::span<const std::int32_t> begin, column;
  const Real* value;
  const Real* b;
  int systems;
  int entries = 0;  // of most rows, where most have as many

  int size() const { return static_cast<int>(begin.size()) - 1; }
};

/// What one step from x says of it.
struct RelaxedStep {
  double residual = 0;  // the largest |b + M x - x|
  double size = 0;      // the largest number of x and b + M x
};

/// call(their number, known when compiling), where systems are few; else call(0).
template <typename Call>
auto with_systems(Eigen::Index systems, Call call) {
  switch (systems) {
    case 1:
      return call(std::integral_constant<int, 1>{});
    case 2:
      return call(std::integral_constant<int, 2>{});
    case 3:
      return call(std::integral_constant<int, 3>{});
    case 4:
      return call(std::integral_constant<int, 4>{});
    default:
      return call(std::integral_constant<int, 0>{});
  }
}

/// call(entries of a row, known when compiling), where rows are short; else call(0).
template <typename Call>
auto with_entries(int entries, Call call) {
  switch (entries) {
    case 2:
      return call(std::integral_constant<int, 2>{});
    case 3:
      return call(std::integral_constant<int, 3>{});
    case 4:
      return call(std::integral_constant<int, 4>{});
    case 5:
      return call(std::integral_constant<int, 5>{});
    case 6:
      return call(std::integral_constant<int, 6>{});
    case 8:
      return call(std::integral_constant<int, 8>{});
    default:
      return call(std::integral_constant<int, 0>{});
  }
}

/// visit(0) .. visit(count - 1), where count mostly is kCommon.
template <int kCommon, typename Visit>
[[gnu::always_inline]] inline void for_entries(int count, Visit visit) {
  if (kCommon > 0 && count == kCommon) {
    for (int e = 0; e < kCommon; ++e) visit(e);
  } else {
    for (int e = 0; e < count; ++e) visit(e);
  }
}

/// for_each_relaxed() where the number of systems, and the length of most rows, are known when compiling.
template <int kSystems, int kEntries, typename Real, typename Use>
void for_each_short(const RelaxedRows<Real>& rows, const Real* x, Use& use) {
  const std::int32_t* const begin = rows.begin.data();
  const std::int32_t* const column = rows.column.data();
  const Real *const value = rows.value, *const b = rows.b;
  const int n = rows.size();
  for (int i = 0; i < n; ++i) {
    Real sum[kSystems];
    for (int j = 0; j < kSystems; ++j) sum[j] = b[std::ptrdiff_t{i} * kSystems + j];
    const std::ptrdiff_t at = begin[i];
    for_entries<kEntries>(begin[i + 1] - begin[i], [&](int e) {
      const Real* const from = x + std::ptrdiff_t{column[at + e]} * kSystems;
      for (int j = 0; j < kSystems; ++j) sum[j] += value[at + e] * from[j];
    });
    use(i, sum);
  }
}

/// use(row, its sums b + M x) for all rows in their order; what it changes of x is seen by later rows. How many systems
/// there are is known when compiling where they are few (else 0), so that sums are kept in registers; so is the length of
/// most rows.
template <int kSystems, typename Real, typename Use>
void for_each_relaxed(const RelaxedRows<Real>& rows, const Real* x, Use use) {
  if constexpr (kSystems > 0) {
    with_entries(rows.entries, [&](auto entries) { for_each_short<kSystems, entries()>(rows, x, use); });
  } else {
    const int systems = rows.systems;
    std::vector<Real> sum(static_cast<std::size_t>(systems));
    for (int i = 0; i < rows.size(); ++i) {
      std::copy_n(rows.b + std::ptrdiff_t{i} * systems, systems, sum.begin());
      for (int e = rows.begin[i]; e < rows.begin[i + 1]; ++e) {
        const Real* const from = x + std::ptrdiff_t{rows.column[e]} * systems;
        for (int j = 0; j < systems; ++j) sum[j] += rows.value[e] * from[j];
      }
      use(i, sum.data());
    }
  }
}

/// Gauss-Seidel: every row's numbers become what its equation says, given the others as they are by then.
template <int kSystems, typename Real>
void sweep(const RelaxedRows<Real>& rows, Real* x) {
  const int systems = kSystems > 0 ? kSystems : rows.systems;
  for_each_relaxed<kSystems>(rows, x, [&](int i, const Real* sum) {
    Real* const to = x + std::ptrdiff_t{i} * systems;
    for (int j = 0; j < systems; ++j) to[j] = sum[j];
  });
}

/// `off` becomes b + M x - x. Also sums it up, each row times its weight in `kept`, to `carried`, a number for each system.
template <int kSystems, typename Real>
RelaxedStep residuals(const RelaxedRows<Real>& rows, const Real* x, const double* kept, Real* off,
                      double* carried) {
  const int systems = kSystems > 0 ? kSystems : rows.systems;
  Real largest = 0, residual = 0;
  for_each_relaxed<kSystems>(rows, x, [&](int i, const Real* sum) {
    const Real* const from = x + std::ptrdiff_t{i} * systems;
    Real* const to = off + std::ptrdiff_t{i} * systems;
    for (int j = 0; j < systems; ++j) {
      const Real move = sum[j] - from[j];
      to[j] = move;
      largest = std::max({largest, std::abs(from[j]), std::abs(sum[j])});
      residual = std::max(residual, std::abs(move));
      carried[j] += kept[i] * static_cast<double>(move);
    }
  });
  // Where some move is no number, neither is their sum, and nothing is known.
  for (int j = 0; j < systems; ++j) {
    if (!std::isfinite(carried[j])) return {kInfinity, kInfinity};
  }
  return {static_cast<double>(residual), static_cast<double>(largest)};
}

}  // namespace c2rl
