#include "c2rl/geometry/convex_set.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "c2rl/geometry/sets.h"

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

SetPtr ConvexSet::eroded(const Vector& half_widths) const {
  check_size(half_widths.size(), dim_, "eroded");
  if (!(half_widths.array() >= 0).all()) throw std::invalid_argument("eroded: expected widths of 0 or more");
  if (half_widths.isZero(0)) return shared_from_this();
  return compute_eroded(half_widths);
}

SetPtr ConvexSet::compute_eroded(const Vector& half_widths) const {
  if (is_polyhedral()) {
    const Halfspaces faces = halfspaces();
    if (faces.offsets.size() == 0) return shared_from_this();
    return polyhedron(faces.normals, Vector::Constant(faces.offsets.size(), -kInfinity),
                      faces.offsets - faces.normals.cwiseAbs() * half_widths);
  }
  // A box is inside when its corners are: the point is in the set moved back by each of them.
  constexpr std::size_t kMostSides = 10;
  std::vector<int> sides;
  for (int i = 0; i < dim_; ++i) {
    if (half_widths[i] > 0) sides.push_back(i);
  }
  if (sides.size() > kMostSides) {
    throw InputError("the target's set says nothing about boxes inside it, and one of " +
                     std::to_string(sides.size()) + " sides has too many corners to try");
  }
  std::vector<SetPtr> moved;
  for (unsigned corner = 0; corner < (1U << sides.size()); ++corner) {
    Vector shift = Vector::Zero(dim_);
    for (std::size_t k = 0; k < sides.size(); ++k)
      shift[sides[k]] = ((corner >> k) & 1U ? 1 : -1) * half_widths[sides[k]];
    moved.push_back(transformed(shared_from_this(), std::move(shift), 1));
  }
  return intersection(std::move(moved));
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
