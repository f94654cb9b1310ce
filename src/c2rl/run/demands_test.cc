#include "c2rl/run/demands.h"

#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/geometry/target_section.h"

namespace c2rl {
namespace {

/// A world that is only known by what its totals can be.
World some_world(std::vector<TotalRange> ranges) {
  World world;
  world.ranges = std::move(ranges);
  for (std::size_t i = 0; i < world.ranges.size(); ++i)
    world.measurements.push_back(std::string(1, static_cast<char>('a' + i)));
  return world;
}

Target target_of(const World& world, const std::vector<std::string>& texts) {
  std::vector<Constraint> constraints;
  for (const std::string& text : texts) constraints.push_back(parse_constraint(text, world.measurements));
  return make_target(world.measurements, constraints);
}

// A demand for every face, but for what holds in every episode.
TEST(Demands, WhatAlwaysHoldsIsNone) {
  const World world = some_world({{0, 100}, {0, 1}});
  const Demands demands(target_of(world, {"0 <= a <= 11", "b <= 2", "a + 5*b <= 12"}), world, 1e-6);
  ASSERT_EQ(demands.size(), 2);
  const Vector at = demands.at(Vector{{10, 0.2}});
  std::vector<double> room;
  for (int i = 0; i < 2; ++i)
    room.push_back((demands[i].limit - at[i]) / demands[i].combination.lpNorm<Eigen::Infinity>());
  std::ranges::sort(room);
  EXPECT_NEAR(room[0], 0.2, 1e-5);  // a + 5 b = 11 of 12, in units of 5
  EXPECT_NEAR(room[1], 1.0, 1e-5);
}

TEST(Demands, AreMetAndBrokenByLimits) {
  const World world = some_world({{0, 100}, {-50, 50}});
  const Demands demands(target_of(world, {"a <= 11", "b >= -2"}), world, 0);
  ASSERT_EQ(demands.size(), 2);
  Vector upper(2), lower(2);
  for (int i = 0; i < 2; ++i) {
    upper[i] = demands[i].limit;
    lower[i] = demands[i].limit;
  }
  EXPECT_TRUE(demands.met(upper));
  EXPECT_FALSE(demands.broken(lower));
  upper[0] += 1e-9;
  lower[1] += 1e-9;
  EXPECT_FALSE(demands.met(upper));
  EXPECT_TRUE(demands.broken(lower));
}

// The whole box must be in the disc, not its middle alone; and outside, no point of the box may be.
TEST(Demands, OfACurvedTargetAreTheEndsOfABox) {
  const World world = some_world({{-10, 10}, {-10, 10}});
  const Demands demands(target_of(world, {"norm(a, b) <= 5"}), world, 0);
  ASSERT_EQ(demands.size(), 4);                          // a <=, -a <=, b <=, -b <=
  EXPECT_TRUE(demands.met(Vector{{3, -2.9, 4, -3.9}}));  // the corner (3, 4) is on the circle
  EXPECT_FALSE(demands.met(Vector{{3.001, -2.9, 4, -3.9}}));
  EXPECT_FALSE(demands.broken(Vector{{2.9, -3, 3.9, -4}}));
  EXPECT_TRUE(demands.broken(Vector{{3.1, -3.2, 4, -4.2}}));
  const SetPtr tightened = demands.tightened(Vector{{0.3, 0.3, 0.4, 0.4}});
  EXPECT_NEAR(tightened->distance(Vector{{0, 10}}), 5.5, 1e-9);
}

TEST(Demands, TightenedTheLimitsAreNearer) {
  const World world = some_world({{0, 100}, {0, 100}});
  const Target target = target_of(world, {"a <= 11", "b <= 2"});
  const Demands demands(target, world, 0);
  const Vector corner = demands.tightened(Vector{{1, 0.5}})->project(Vector{{50, 50}});
  EXPECT_NEAR(corner[0], 10, 1e-9);
  EXPECT_NEAR(corner[1], 1.5, 1e-9);
  // An equation has no room at all.
  const Demands equation(target_of(world, {"a == 3"}), world, 1e-6);
  EXPECT_THROW(equation.tightened(Vector::Constant(equation.size(), 1e-3)), EmptySetError);
}

}  // namespace
}  // namespace c2rl
