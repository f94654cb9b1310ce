#include <algorithm>

#include "c2rl/geometry/check.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class OverCoordinates final : public ConvexSet {
 public:
  OverCoordinates(SetPtr set, std::vector<int> coordinates, int dim)
      : ConvexSet(dim), set_(std::move(set)), coordinates_(std::move(coordinates)) {}

  bool is_polyhedral() const override { return set_->is_polyhedral(); }
  Halfspaces halfspaces() const override {
    const Halfspaces inner = set_->halfspaces();
    Halfspaces faces{Matrix::Zero(inner.normals.rows(), dim()), inner.offsets};
    faces.normals(Eigen::all, coordinates_) = inner.normals;
    return faces;
  }

 private:
  Vector compute_projection(const Vector& x) const override {
    Vector p = x;
    p(coordinates_) = set_->project(x(coordinates_));
    return p;
  }

  Outward compute_outward(const Vector& x) const override {
    const Outward inner = set_->outward(x(coordinates_));
    return {spread(inner.vector), spread(inner.gross), inner.beyond};
  }

  double compute_excess(const Vector& x, const Vector& sizes) const override {
    return set_->excess(x(coordinates_), sizes(coordinates_));
  }

  Vector compute_constrained() const override { return spread(set_->constrained()); }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    Matrix result = directions;
    result(coordinates_, Eigen::all) =
        set_->jacobian_times(x(coordinates_), directions(coordinates_, Eigen::all));
    return result;
  }

  Bounds compute_bounds() const override {
    Bounds bounds = ConvexSet::compute_bounds();
    const Bounds inner = set_->bounds();
    bounds.lower(coordinates_) = inner.lower;
    bounds.upper(coordinates_) = inner.upper;
    return bounds;
  }

  /// The others are zero.
  Vector spread(const Vector& inner) const {
    Vector outer = Vector::Zero(dim());
    outer(coordinates_) = inner;
    return outer;
  }

  SetPtr set_;
  std::vector<int> coordinates_;
};

}  // namespace

SetPtr over_coordinates(SetPtr set, std::vector<int> coordinates, int dim) {
  check_size(static_cast<Eigen::Index>(coordinates.size()), set->dim(), "coordinates of a set");
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const bool rises = coordinates[i] >= (i == 0 ? 0 : coordinates[i - 1] + 1);
    check(rises && coordinates[i] < dim, "coordinates of a set", "rising numbers below the dimension");
  }
  if (set->dim() == dim) return set;
  return std::make_shared<OverCoordinates>(std::move(set), std::move(coordinates), dim);
}

}  // namespace c2rl
