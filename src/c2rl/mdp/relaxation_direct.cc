#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/SparseLU>

#include "c2rl/mdp/incomplete_factors.h"
#include "c2rl/mdp/relaxation.h"

namespace c2rl {
namespace {

/// After so many steps without a convergent end the sweeps go on from where it got to.
constexpr int kKrylovSteps = 1000;

}  // namespace

bool Relaxation::factorise(const Matrix& b, Matrix& x) {
  take(b);
  return factorise(x);
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
