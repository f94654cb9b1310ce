#include "c2rl/geometry/check.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class Ball final : public ConvexSet {
 public:
  Ball(Vector center, double radius)
      : ConvexSet(static_cast<int>(center.size())), center_(std::move(center)), radius_(radius) {}

 private:
  Vector compute_projection(const Vector& x) const override {
    const Vector offset = x - center_;
    const double distance = offset.norm();
    return distance <= radius_ ? x : Vector(center_ + (radius_ / distance) * offset);
  }

  Outward compute_outward(const Vector& x) const override {
    const Vector offset = x - center_;
    const double distance = offset.norm();
    const Vector vector = (distance <= radius_ ? 0 : (distance - radius_) / distance) * offset;
    return {vector, vector.cwiseAbs()};
  }

  double compute_excess(const Vector& x, const Vector& sizes) const override {
    const double numbers = (sizes + center_.cwiseAbs()).norm() + radius_;
    return std::max(0.0, (x - center_).norm() - radius_ - kRounding * numbers);
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    const Vector offset = x - center_;
    const double distance = offset.norm();
    if (distance <= radius_) return directions;
    const Vector outward = offset / distance;
    return (radius_ / distance) * (directions - outward * (outward.transpose() * directions));
  }

  Bounds compute_bounds() const override { return {center_.array() - radius_, center_.array() + radius_}; }

  SetPtr compute_eroded(const Vector& half_widths) const override {
    const double radius = radius_ - half_widths.norm();
    if (radius < 0) throw EmptySetError("the ball is smaller than the box", {});
    return ball(center_, radius);
  }

  Vector center_;
  double radius_;
};

struct BallOptions {
  Vector center;
  double radius = 0;

  void visit(OptionVisitor& visitor) {
    visitor.vector("center", center, "a number per measurement", OptionVisitor::kRequired);
    visitor.number("radius", radius, at_least(0), "the largest distance from the centre",
                   OptionVisitor::kRequired);
  }
};

}  // namespace

SetPtr ball(Vector center, double radius) {
  check_finite(center, "ball center");
  check(radius >= 0 && radius <= kLargestNumber, "ball radius", "a number from 0 to 1e100");
  return std::make_shared<Ball>(std::move(center), radius);
}

SetKind ball_kind() {
  return set_kind<BallOptions>("ball", "within a distance", [](const BallOptions& options, int dim) {
    check_one_per_measurement(options.center, dim, "center");
    return ball(options.center, options.radius);
  });
}

}  // namespace c2rl
