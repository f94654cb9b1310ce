#include "c2rl/geometry/convex_set.h"

#include <cmath>
#include <stdexcept>

namespace c2rl {

namespace {

/// Public methods check what they are given; a wrong size is a defect of the caller's.
void check_size(Eigen::Index found, int dim, const char* what) {
  if (found == dim) return;
  throw std::invalid_argument(std::string(what) + ": found " + std::to_string(found) +
                              " coordinates, expected " + std::to_string(dim));
}

}  // namespace

Vector ConvexSet::project(const Vector& x) const {
  check_size(x.size(), dim_, "project");
  return compute_projection(x);
}

Outward ConvexSet::outward(const Vector& x) const {
  check_size(x.size(), dim_, "outward");
  return compute_outward(x);
}

double ConvexSet::excess(const Vector& x, const Vector& sizes) const {
  check_size(x.size(), dim_, "excess");
  check_size(sizes.size(), dim_, "excess");
  return compute_excess(x, sizes.cwiseMax(x.cwiseAbs()));
}

Outward ConvexSet::compute_outward(const Vector& x) const {
  Outward result;
  result.vector = x - compute_projection(x);
  result.gross = result.vector.cwiseAbs();
  return result;
}

double ConvexSet::compute_excess(const Vector& x, const Vector& sizes) const {
  const Vector vector = compute_outward(x).vector;
  const Vector numbers = sizes + (x - vector).cwiseAbs();
  return std::max(0.0, vector.stableNorm() - kRounding * numbers.cwiseProduct(constrained()).stableNorm());
}

Matrix ConvexSet::jacobian_times(const Vector& x, const Matrix& directions) const {
  check_size(x.size(), dim_, "jacobian_times");
  check_size(directions.rows(), dim_, "jacobian_times");
  return compute_jacobian_times(x, directions);
}

Matrix ConvexSet::finite_difference_jacobian(const Vector& x, const Matrix& directions) const {
  // The cube root of the rounding unit balances truncation and rounding in central differences.
  const double step = std::cbrt(kEpsilon) * std::max(x.lpNorm<Eigen::Infinity>(), distance(x));
  Matrix result(dim_, directions.cols());
  for (Eigen::Index j = 0; j < directions.cols(); ++j) {
    const double length = directions.col(j).norm();
    if (length == 0 || step == 0) {
      result.col(j).setZero();
      continue;
    }
    const Vector offset = directions.col(j) * (step / length);
    result.col(j) = (project(x + offset) - project(x - offset)) * (length / (2 * step));
  }
  return result;
}

Bounds ConvexSet::compute_bounds() const {
  return {Vector::Constant(dim_, -kInfinity), Vector::Constant(dim_, kInfinity)};
}

}  // namespace c2rl
