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

Relaxation::Relaxation(SparseRows matrix, Vector b)
    : matrix_(std::move(matrix)), b_(std::move(b)), weight_(b_.size()), lost_(b_.size()) {
  for (int i = 0; i < matrix_.size(); ++i) {
    entries_ = std::max(entries_, matrix_.begin[i + 1] - matrix_.begin[i]);
    solve_for_itself(i);
  }
}

bool Relaxation::replace(int row, std::span<const std::int32_t> column, std::span<const double> value,
                         double b) {
  if (std::ssize(column) != matrix_.begin[row + 1] - matrix_.begin[row]) return false;
  std::ranges::copy(column, matrix_.column.begin() + matrix_.begin[row]);
  std::ranges::copy(value, matrix_.value.begin() + matrix_.begin[row]);
  b_[row] = b;
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
  b_[row] /= 1 - diagonal;
  for (int e = matrix_.begin[row]; e < matrix_.begin[row + 1]; ++e) matrix_.value[e] /= 1 - diagonal;
}

bool Relaxation::rows_lose_alike() const {
  constexpr double kAlike = 1.5;
  return lost_.minCoeff() > 0 && lost_.maxCoeff() <= kAlike * lost_.minCoeff();
}

void Relaxation::sweep(Vector& x) const {
  const std::int32_t* const begin = matrix_.begin.data();
  const std::int32_t* const column = matrix_.column.data();
  const double* const value = matrix_.value.data();
  const int n = matrix_.size();
  for (int i = 0; i < n; ++i) {
    double sum = b_[i];
    for (int e = begin[i]; e < begin[i + 1]; ++e) sum += value[e] * x[column[e]];
    x[i] = sum;
  }
}

/// x becomes b + M x, shifted by a number: where all rows keep about the same part of a unit, as without ends
/// they keep the discount, what is common to the errors of all rows would go at that rate only. The number is
/// the one after which the residuals would sum to 0 if they were all alike, as errors that last are.
Relaxation::Step Relaxation::step(Vector& x) const {
  const int n = matrix_.size();
  Vector off(n);
  double largest = 0, residual = 0, carried = 0;
  for (int i = 0; i < n; ++i) {
    double sum = b_[i];
    for (int e = matrix_.begin[i]; e < matrix_.begin[i + 1]; ++e) {
      sum += matrix_.value[e] * x[matrix_.column[e]];
    }
    off[i] = sum - x[i];
    largest = std::max(largest, std::abs(x[i]));
    residual = std::max(residual, std::abs(off[i]));
    carried += (weight_[i] - lost_[i]) * off[i];
  }
  x += off;
  if (rows_lose_alike()) x.array() += carried / lost_.sum();
  return {residual, 2 * kEpsilon * (entries_ + 2) * largest};
}

int Relaxation::approach(Vector& x, double goal, const Pulse& listener) const {
  int sweeps = 1;
  Step last = step(x);
  double least = last.residual, worth = kKrylovWorth;
  for (int idle = 0; idle < kIdleSteps;) {
    const double enough = std::max(goal, last.rounding);
    if (last.residual <= enough) break;
    for (int i = 0; i < kSweepsPerStep; ++i) {
      pulse(listener);
      sweep(x);
    }
    const Step now = step(x);
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

bool Relaxation::factorise(Vector& x) const {
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
  Vector found = factors.solve(b_);
  // One refinement makes the residual as small as rounding allows.
  found += factors.solve(Vector(b_ - equations * found));
  if (!found.allFinite()) return false;
  x = found;
  return true;
}

/// BiCGSTAB for the correction that x needs, which is made only if it is one.
void Relaxation::krylov(Vector& x, double goal, const Pulse& listener) const {
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
  Vector r = b_ - apply(x), correction = Vector::Zero(x.size()), best = correction;
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
  x += best;
}

}  // namespace c2rl
