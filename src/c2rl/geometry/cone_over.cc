#include <cmath>

#include "c2rl/geometry/check.h"
#include "c2rl/geometry/increasing_root.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// The apex of the cone is approached in two steps, as parts of |v|: down to the first, and below it only
/// when the search ends there, to the second, which is zero to rounding. So far from the apex no point far
/// outside the base is looked at, where rounding could mislead the search.
constexpr double kNearApex = 1e-8, kApex = kEpsilon;

class ConeOver final : public ConvexSet {
 public:
  ConeOver(SetPtr base, double height)
      : ConvexSet(base->dim() + 1), base_(std::move(base)), height_(height) {}

 private:
  Vector compute_projection(const Vector& v) const override {
    const double size = v.norm();
    if (size == 0) return v;
    // At height alpha the cone is (alpha / height) base, and half the squared distance to that is convex in
    // alpha. Its derivative, with z the point of the base below the nearest one at that height, never falls.
    const int m = dim() - 1;
    const auto outside = [&](double alpha, Vector& z) {  // the part of v that the cone at height alpha lacks
      const Vector y = v.head(m) * (height_ / alpha);
      z = base_->project(y);
      return Vector((alpha / height_) * (y - z));
    };
    Vector z(m);
    const auto slope = [&](double alpha) { return alpha - v[m] - outside(alpha, z).dot(z) / height_; };
    // The projection is no longer than v, so its height is none above |v|.
    double alpha = increasing_root(slope, kNearApex * size, size);
    if (alpha == kNearApex * size) alpha = increasing_root(slope, kApex * size, alpha);
    // Coordinates that the base leaves alone stay as they are, to the last bit.
    Vector nearest(dim());
    nearest << v.head(m) - outside(alpha, z), alpha > kApex * size ? alpha : 0;
    return nearest;
  }

  Bounds compute_bounds() const override {
    Bounds bounds = ConvexSet::compute_bounds();
    bounds.lower[dim() - 1] = 0;
    return bounds;
  }

  SetPtr base_;
  double height_;
};

}  // namespace

SetPtr cone_over(SetPtr base, double height) {
  check(std::isfinite(height) && height > 0, "cone_over height", "a finite number above 0");
  return std::make_shared<ConeOver>(std::move(base), height);
}

}  // namespace c2rl
