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

  int size() const { return static_cast<int>(begin.size()) - 1; }
};

/// What one step from x says of it.
struct RelaxedStep {
  double residual = 0;  // the largest |b + M x - x|
  double size = 0;      // the largest number of x and b + M x
};

/// use(row, its sums b + M x) for all rows in their order; what it changes of x is seen by later rows. How many systems
/// there are is known when compiling where they are few (else 0), so that sums are kept in registers.
template <int kSystems, typename Real, typename Use>
void for_each_relaxed(const RelaxedRows<Real>& rows, const Real* x, Use use) {
  const std::int32_t* const column = rows.column.data();
  const int n = rows.size();
  std::ptrdiff_t e = 0;
  if constexpr (kSystems > 0) {
    const Real* b = rows.b;
    for (int i = 0; i < n; ++i, b += kSystems) {
      Real sum[kSystems];
      for (int j = 0; j < kSystems; ++j) sum[j] = b[j];
      for (const std::ptrdiff_t end = rows.begin[i + 1]; e < end; ++e) {
        const Real* const from = x + std::ptrdiff_t{column[e]} * kSystems;
        for (int j = 0; j < kSystems; ++j) sum[j] += rows.value[e] * from[j];
      }
      use(i, sum);
    }
  } else {
    const int systems = rows.systems;
    std::vector<Real> sum(static_cast<std::size_t>(systems));
    for (int i = 0; i < n; ++i) {
      std::copy_n(rows.b + std::ptrdiff_t{i} * systems, systems, sum.begin());
      for (const std::ptrdiff_t end = rows.begin[i + 1]; e < end; ++e) {
        const Real* const from = x + std::ptrdiff_t{column[e]} * systems;
        for (int j = 0; j < systems; ++j) sum[j] += rows.value[e] * from[j];
      }
      use(i, sum.data());
    }
  }
}

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
