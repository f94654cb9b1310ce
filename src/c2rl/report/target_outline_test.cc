#include "c2rl/report/target_outline.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/geometry/target.h"

namespace c2rl {
namespace {

SetPtr set_of(const std::vector<std::string>& names, const std::vector<std::string>& texts) {
  std::vector<Constraint> constraints;
  for (const std::string& text : texts) constraints.push_back(parse_constraint(text, names));
  return make_target(names, constraints).set;
}

double area(const std::vector<PlanePoint>& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const PlanePoint &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

TEST(TargetOutline, HasTheCornersOfABox) {
  const auto outline =
      target_outline(*set_of({"a", "b"}, {"0 <= a <= 11", "0 <= b <= 0.5"}), {0, 1}, {{-5, -1}, {20, 5}});
  EXPECT_NEAR(area(outline), 5.5, 1e-3);
  for (const PlanePoint& p : outline) {
    const double to_sides = std::min(std::abs(p[0]), std::abs(p[0] - 11));
    const double to_ends = std::min(std::abs(p[1]), std::abs(p[1] - 0.5));
    EXPECT_LT(std::min(to_sides, to_ends), 1e-6) << p[0] << ", " << p[1];
  }
}

// A cut corner whose normal none of the first looks has.
TEST(TargetOutline, FindsFacesOfAnyDirection) {
  const auto outline =
      target_outline(*set_of({"a", "b"}, {"a >= 0", "b >= 0", "10*a + 3*b <= 30", "a + 40*b <= 80"}), {0, 1},
                     {{-1, -1}, {5, 5}});
  // The corner of both slanted lines is (2.4181, 1.9395).
  const double x = (30 - 3 * 2.0) / (10 - 3 / 40.0), y = (80 - x) / 40;
  EXPECT_NEAR(area(outline), (x * 2 + x * (y - 2) / 2) + (3 - x) * y / 2, 1e-3);
}

TEST(TargetOutline, EndsWithThePicture) {
  const auto outline = target_outline(*set_of({"a", "b"}, {"a <= 1"}), {0, 1}, {{-2, -3}, {4, 5}});
  EXPECT_NEAR(area(outline), 3 * 8, 1e-3);
  EXPECT_TRUE(target_outline(*set_of({"a", "b"}, {"a >= 10"}), {0, 1}, {{-2, -3}, {4, 5}}).empty());
}

TEST(TargetOutline, IsTheShadowOfABall) {
  const auto outline =
      target_outline(*set_of({"a", "b", "c"}, {"norm(a - 1, b, c) <= 2"}), {0, 2}, {{-9, -9}, {9, 9}});
  EXPECT_NEAR(area(outline), M_PI * 4, 0.02);
  for (const PlanePoint& p : outline) EXPECT_NEAR(std::hypot(p[0] - 1, p[1]), 2, 1e-3);
}

// a + b + c = 1 with all of them positive: above (a, b) lies something wherever a + b is at most 1.
TEST(TargetOutline, IsTheShadowOfASimplex) {
  const auto outline = target_outline(
      *set_of({"a", "b", "c"}, {"a >= 0", "b >= 0", "c >= 0", "a + b + c == 1"}), {0, 1}, {{-1, -1}, {2, 2}});
  EXPECT_NEAR(area(outline), 0.5, 1e-3);
}

}  // namespace
}  // namespace c2rl
