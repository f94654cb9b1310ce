#include "c2rl/mdp/relaxation.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/SparseLU>

#include "c2rl/mdp/incomplete_factors.h"

namespace c2rl {
namespace {

/// Gauss-Seidel sweeps between two steps that measure how far off x is.
constexpr int kSweepsPerStep = 3;

/// Sweeps that cost as much as the Krylov method on a model that is not too bad for it: its factors, and some
/// 15 steps of two products and two solutions each.
constexpr double kKrylovWorth = 100;

/// After so many steps without a convergent end the sweeps go on from where it got to.
constexpr int kKrylovSteps = 1000;

/// Groups of sweeps that may pass without any progress before rounding is taken to be the cause.
constexpr int kIdleSteps = 8;

}  // namespace

Relaxation::Relaxation(SparseRows matrix, Matrix b)
    : matrix_(std::move(matrix)), b_(std::move(b)), weight_(b_.cols()), lost_(b_.cols()) {
  for (int i = 0; i < matrix_.size(); ++i) {
    entries_ = std::max(entries_, matrix_.begin[i + 1] - matrix_.begin[i]);
    solve_for_itself(i);
  }
}

bool Relaxation::replace(int row, std::span<const std::int32_t> column, std::span<const double> value,
                         const Vector& b) {
  if (std::ssize(column) != matrix_.begin[row + 1] - matrix_.begin[row]) return false;
  std::ranges::copy(column, matrix_.column.begin() + matrix_.begin[row]);
  std::ranges::copy(value, matrix_.value.begin() + matrix_.begin[row]);
  b_.col(row) = b;
  solve_for_itself(row);
  return true;
}

/// An entry on the diagonal becomes 0.
void Relaxation::solve_for_itself(int row) {
  double diagonal = 0, sum = 0;
  for (int e = matrix_.begin[row]; e < matrix_.begin[row + 1]; ++e) {
    sum += matrix_.value[e];
    if (matrix_.column[e] == row) diagonal += std::exchange(matrix_.value[e], 0.0);
  }
  weight_[row] = 1 - diagonal;
  lost_[row] = 1 - sum;
  if (diagonal == 0) return;
  b_.col(row) /= 1 - diagonal;
  for (int e = matrix_.begin[row]; e < matrix_.begin[row + 1]; ++e) matrix_.value[e] /= 1 - diagonal;
}

bool Relaxation::rows_lose_alike() const {
  constexpr double kAlike = 1.5;
  return lost_.minCoeff() > 0 && lost_.maxCoeff() <= kAlike * lost_.minCoeff();
}

namespace {

/// b + M x of one row. How many systems there are is known when compiling where they are few, so that sums are kept
/// in registers; else they are taken one by one.
template <int kSystems, typename Use>
inline void for_each_sum(const double* b, const std::int32_t* column, const double* value, int entries,
                         const double* x, int systems, Use use) {
  if constexpr (kSystems > 0) {
    double sum[kSystems];
    for (int j = 0; j < kSystems; ++j) sum[j] = b[j];
    for (int e = 0; e < entries; ++e) {
      const double* const from = x + std::ptrdiff_t{column[e]} * kSystems;
      for (int j = 0; j < kSystems; ++j) sum[j] += value[e] * from[j];
    }
    for (int j = 0; j < kSystems; ++j) use(j, sum[j]);
  } else {
    for (int j = 0; j < systems; ++j) {
      double sum = b[j];
      for (int e = 0; e < entries; ++e) sum += value[e] * x[std::ptrdiff_t{column[e]} * systems + j];
      use(j, sum);
    }
  }
}

}  // namespace

template <int kSystems>
void Relaxation::sweep(Matrix& x) const {
  const int n = matrix_.size(), systems = static_cast<int>(x.rows());
  const double* b = b_.data();
  double* to = x.data();
  for (int i = 0; i < n; ++i, b += systems, to += systems) {
    const int first = matrix_.begin[i];
    for_each_sum<kSystems>(b, matrix_.column.data() + first, matrix_.value.data() + first,
                           matrix_.begin[i + 1] - first, x.data(), systems,
                           [&](int j, double sum) { to[j] = sum; });
  }
}

/// x becomes b + M x, shifted by a number: where all rows keep about the same part of a unit, as without ends
/// they keep the discount, what is common to the errors of all rows would go at that rate only. The number is
/// the one after which the residuals would sum to 0 if they were all alike, as errors that last are.
template <int kSystems>
Relaxation::Step Relaxation::step(Matrix& x, Matrix& off) const {
  const int n = matrix_.size(), systems = static_cast<int>(x.rows());
  double largest = 0, residual = 0;
  Vector carried = Vector::Zero(systems);
  double* const carries = carried.data();
  for (int i = 0; i < n; ++i) {
    const int first = matrix_.begin[i];
    const std::ptrdiff_t at = std::ptrdiff_t{i} * systems;
    const double* const from = x.data() + at;
    double* const moves = off.data() + at;
    const double kept = weight_[i] - lost_[i];
    for_each_sum<kSystems>(b_.data() + at, matrix_.column.data() + first, matrix_.value.data() + first,
                           matrix_.begin[i + 1] - first, x.data(), systems, [&](int j, double sum) {
                             moves[j] = sum - from[j];
                             largest = std::max({largest, std::abs(from[j]), std::abs(sum)});
                             residual = std::max(residual, std::abs(moves[j]));
                             carries[j] += kept * moves[j];
                           });
  }
  if (rows_lose_alike()) {
    const Vector shift = carried / lost_.sum();
    for (int i = 0; i < n; ++i) x.col(i) += off.col(i) + shift;
  } else {
    x += off;
  }
  return {residual, 2 * kEpsilon * (entries_ + 2) * largest};
}

template <int kSystems>
int Relaxation::approach_by_sweeps(Matrix& x, double goal, const Pulse& listener) const {
  Matrix off(x.rows(), x.cols());
  int sweeps = 1;
  Step last = step<kSystems>(x, off);
  double least = last.residual, worth = kKrylovWorth;
  for (int idle = 0; idle < kIdleSteps;) {
    const double enough = std::max(goal, last.rounding);
    if (last.residual <= enough) break;
    for (int i = 0; i < kSweepsPerStep; ++i) {
      pulse(listener);
      sweep<kSystems>(x);
    }
    const Step now = step<kSystems>(x, off);
    sweeps += kSweepsPerStep + 1;
    const double decay = std::log(last.residual / now.residual) / (kSweepsPerStep + 1);
    const double left = std::log(now.residual / enough);
    if (left > std::max(decay, 0.0) * worth) {
      pulse(listener);
      if (matrix_.size() > kDirectLimit || !factorise(x)) krylov(x, enough, listener);
      worth *= 10;  // what did not help enough is not soon worth it again
    }
    idle = now.residual < least ? 0 : idle + 1;
    least = std::min(least, now.residual);
    last = now;
  }
  return sweeps;
}

int Relaxation::approach(Matrix& x, double goal, const Pulse& listener) const {
  switch (x.rows()) {
    case 1:
      return approach_by_sweeps<1>(x, goal, listener);
    case 2:
      return approach_by_sweeps<2>(x, goal, listener);
    case 3:
      return approach_by_sweeps<3>(x, goal, listener);
    case 4:
      return approach_by_sweeps<4>(x, goal, listener);
    default:
      return approach_by_sweeps<0>(x, goal, listener);
  }
}

bool Relaxation::factorise(Matrix& x) const {
  const int n = matrix_.size();
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e) {
      entries.emplace_back(i, matrix_.column[e], -matrix_.value[e]);
    }
  }
  Eigen::SparseMatrix<double> equations(n, n);
  equations.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(equations);
  if (factors.info() != Eigen::Success) return false;
  Matrix found(x.rows(), n);
  for (int j = 0; j < x.rows(); ++j) {
    const Vector right = b_.row(j);
    Vector solution = factors.solve(right);
    // One refinement makes the residual as small as rounding allows.
    solution += factors.solve(Vector(right - equations * solution));
    if (!solution.allFinite()) return false;
    found.row(j) = solution;
  }
  x = std::move(found);
  return true;
}

/// For the correction that x needs.
void Relaxation::krylov(Matrix& x, double goal, const Pulse& listener) const {
  for (int j = 0; j < x.rows(); ++j) {
    Vector off = b_.row(j) - x.row(j);
    for (int i = 0; i < matrix_.size(); ++i) {
      for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e)
        off[i] += matrix_.value[e] * x(j, matrix_.column[e]);
    }
    x.row(j) += krylov_correction(off, goal, listener);
  }
}

/// BiCGSTAB. What it gives may be far from the solution, but has the smallest residual that was seen.
Vector Relaxation::krylov_correction(const Vector& right, double goal, const Pulse& listener) const {
  const auto apply = [&](const Vector& v) {
    Vector result = v;
    for (int i = 0; i < matrix_.size(); ++i) {
      double sum = 0;
      for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e) {
        sum += matrix_.value[e] * v[matrix_.column[e]];
      }
      result[i] -= sum;
    }
    return result;
  };
  const IncompleteFactors factors(matrix_);
  Vector r = right, correction = Vector::Zero(r.size()), best = correction;
  const Vector shadow = r;
  Vector p = r, v, t;
  double rho = shadow.dot(r), least = r.lpNorm<Eigen::Infinity>();
  for (int i = 0; i < kKrylovSteps && least > goal; ++i) {
    pulse(listener);
    const Vector direction = factors.solve(p);
    v = apply(direction);
    const double alpha = rho / shadow.dot(v);
    correction += alpha * direction;
    r -= alpha * v;
    const Vector second = factors.solve(r);
    t = apply(second);
    const double omega = t.dot(r) / t.squaredNorm();
    if (std::isfinite(omega)) {
      correction += omega * second;
      r -= omega * t;
    }
    const double size = r.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(size) || !correction.allFinite()) break;
    if (size < least) {
      least = size;
      best = correction;
    }
    const double next = shadow.dot(r);
    const double beta = next / rho * (alpha / omega);
    if (!std::isfinite(beta) || beta == 0) break;
    p = r + beta * (p - omega * v);
    rho = next;
  }
  return best;
}

}  // namespace c2rl
