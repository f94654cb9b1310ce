#include "c2rl/report/target_outline.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace c2rl {
namespace {

/// How far from the box the set is looked at from, in sizes of the box: what is far behind the set as seen from there
/// is as good as infinitely far, and what is computed there still good to a small part of a dot.
constexpr double kFar = 1e4;
/// What nobody sees, as a part of the box.
constexpr double kUnseen = 1e-4;
constexpr int kFirstLooks = 16;
constexpr int kMostLooks = 512;

double cross(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// What of a convex polygon lies where normal.x <= limit.
std::vector<PlanePoint> clip(const std::vector<PlanePoint>& polygon, const PlanePoint& normal, double limit) {
  std::vector<PlanePoint> kept;
  const auto beyond = [&](const PlanePoint& p) { return normal[0] * p[0] + normal[1] * p[1] - limit; };
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const PlanePoint &here = polygon[i], &next = polygon[(i + 1) % polygon.size()];
    const double at = beyond(here), then = beyond(next);
    if (at <= 0) kept.push_back(here);
    if ((at < 0 && then > 0) || (at > 0 && then < 0)) {
      const double part = at / (at - then);
      kept.push_back({here[0] + part * (next[0] - here[0]), here[1] + part * (next[1] - here[1])});
    }
  }
  return kept;
}

/// The shadow's boundary, as it is found by looking at the set from far away on all sides. Coordinates are scaled so
/// that the box has size 1.
class Outliner {
 public:
  Outliner(const ConvexSet& set, std::array<int, 2> coordinates, const PlaneBox& box)
      : set_(set), coordinates_(coordinates) {
    for (int k = 0; k < 2; ++k) {
      middle_[k] = 0.5 * (box.lower[k] + box.upper[k]);
      size_[k] = std::max(box.upper[k] - box.lower[k], 1e-300);
    }
    // Whatever the other coordinates are: those of a point of the set near the middle.
    Vector from = Vector::Zero(set.dim());
    for (int k = 0; k < 2; ++k) from[coordinates_[k]] = middle_[k];
    base_ = set.project(from);
  }

  std::vector<PlanePoint> trace() {
    std::vector<Look> looks;
    looks.reserve(kFirstLooks);
    for (int i = 0; i < kFirstLooks; ++i) looks.push_back(look(2 * std::numbers::pi * i / kFirstLooks));
    std::vector<PlanePoint> outline;
    for (int i = 0; i < kFirstLooks; ++i) {
      Look next = looks[(i + 1) % kFirstLooks];
      if (i + 1 == kFirstLooks) next.angle += 2 * std::numbers::pi;
      outline.push_back(looks[i].seen);
      refine(looks[i], next, outline);
    }
    return outline;
  }

  PlanePoint unscaled(const PlanePoint& p) const {
    return {middle_[0] + p[0] * size_[0], middle_[1] + p[1] * size_[1]};
  }

 private:
  /// The point that the set reaches farthest with in a direction.
  struct Look {
    double angle;
    PlanePoint seen;
  };

  Look look(double angle) {
    ++count_;
    // Farthest along (cos, sin) in scaled coordinates is farthest along (cos / size) in the set's own.
    PlanePoint normal = {std::cos(angle) / size_[0], std::sin(angle) / size_[1]};
    const double length = std::hypot(normal[0], normal[1]);
    Vector from = base_;
    for (int k = 0; k < 2; ++k)
      from[coordinates_[k]] = middle_[k] + kFar * std::max(size_[0], size_[1]) * normal[k] / length;
    const Vector seen = set_.project(from);
    PlanePoint scaled;
    for (int k = 0; k < 2; ++k) scaled[k] = (seen[coordinates_[k]] - middle_[k]) / size_[k];
    return {angle, scaled};
  }

  /// Looks between two looks, where the set may reach beyond the line between what they saw.
  void refine(const Look& left, const Look& right, std::vector<PlanePoint>& outline) {
    if (count_ >= kMostLooks) return;
    const double dx = right.seen[0] - left.seen[0], dy = right.seen[1] - left.seen[1];
    const double length = std::hypot(dx, dy);
    if (length < kUnseen || right.angle - left.angle < 1e-6) return;
    // Square to the line, outward; kept between the two.
    double angle = std::atan2(-dx, dy);
    while (angle < left.angle) angle += 2 * std::numbers::pi;
    if (angle >= right.angle) angle = 0.5 * (left.angle + right.angle);
    const Look between = look(angle);
    if (-cross(left.seen, right.seen, between.seen) / length <= kUnseen) return;
    refine(left, between, outline);
    outline.push_back(between.seen);
    refine(between, right, outline);
  }

  const ConvexSet& set_;
  std::array<int, 2> coordinates_;
  PlanePoint middle_, size_;
  Vector base_;
  int count_ = 0;
};

}  // namespace

std::vector<PlanePoint> target_outline(const ConvexSet& set, std::array<int, 2> coordinates,
                                       const PlaneBox& box) {
  Outliner outliner(set, coordinates, box);
  std::vector<PlanePoint> outline;
  for (const PlanePoint& p : outliner.trace()) outline.push_back(outliner.unscaled(p));
  for (int k = 0; k < 2; ++k) {
    PlanePoint normal = {0, 0};
    normal[k] = 1;
    outline = clip(outline, normal, box.upper[k]);
    normal[k] = -1;
    outline = clip(outline, normal, -box.lower[k]);
  }
  return outline;
}

}  // namespace c2rl
