#include <algorithm>
#include <cmath>

#include "c2rl/geometry/check.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class Halfspace final : public ConvexSet {
 public:
  /// `normal` has length 1.
  Halfspace(Vector normal, double offset)
      : ConvexSet(static_cast<int>(normal.size())), normal_(std::move(normal)), offset_(offset) {}

  bool is_polyhedral() const override { return true; }
  Halfspaces halfspaces() const override { return {normal_.transpose(), Vector::Constant(1, offset_)}; }

 private:
  Vector compute_projection(const Vector& x) const override {
    return x - std::max(0.0, normal_.dot(x) - offset_) * normal_;
  }

  Outward compute_outward(const Vector& x) const override {
    const Vector vector = std::max(0.0, normal_.dot(x) - offset_) * normal_;
    return {vector, vector.cwiseAbs()};
  }

  double compute_excess(const Vector& x, const Vector& sizes) const override {
    const double numbers = normal_.cwiseAbs().dot(sizes) + std::abs(offset_);
    return std::max(0.0, normal_.dot(x) - offset_ - kRounding * numbers);
  }

  Vector compute_constrained() const override { return (normal_.array() != 0).cast<double>(); }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    if (normal_.dot(x) <= offset_) return directions;
    return directions - normal_ * (normal_.transpose() * directions);
  }

  Bounds compute_bounds() const override {
    Bounds bounds = ConvexSet::compute_bounds();
    for (int i = 0; i < dim(); ++i) {
      if (normal_[i] == 1) bounds.upper[i] = offset_;
      if (normal_[i] == -1) bounds.lower[i] = -offset_;
    }
    return bounds;
  }

  Vector normal_;
  double offset_;
};

}  // namespace

SetPtr halfspace(const Vector& normal, double offset) {
  check_finite(normal, "halfspace normal");
  check(std::abs(offset) <= kLargestNumber, "halfspace offset", "a number from -1e100 to 1e100");
  const double length = normal.stableNorm();
  check(length > 0, "halfspace normal", "a direction, found zero");
  return std::make_shared<Halfspace>(normal / length, offset / length);
}

}  // namespace c2rl
