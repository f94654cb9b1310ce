#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

constexpr int kSteps = 0, kReachedRow = 1, kEnergy = 2;

World mountain_car(const std::string& keys = "") {
  return make_world(
      Config::parse("[environment]\nkind = \"mountain-car\"\n" + keys, "p.toml").section("environment"));
}

Eigen::MatrixXf force(double control) {
  return Eigen::MatrixXf::Constant(1, 1, static_cast<float>(control));
}

double position(const Environment& environment) {
  return 0.9 * environment.features()(0, 0) - 0.3;
}
double velocity(const Environment& environment) {
  return 0.07 * environment.features()(1, 0);
}

/// What Gymnasium 1.4 computes from the start that a seed draws, under forty steps of full force and forty of
/// -0.625 of it, in turn. It rounds to single precision at every step. Both cars touch the left wall once.
struct Known {
  int seed;
  double start;
  std::array<std::array<double, 2>, 4>
      seen;  // position and velocity after 1, 50 and 100 steps, and at the end
  int steps;
  double energy;
};
const Known kKnown[] = {
    {1,
     -0.4210630567329815,
     {{{-0.4203200, 0.0007431}, {-0.3412136, -0.0276434}, {-0.3662305, 0.0684302}, {0.4830169, 0.0636443}}},
     113,
     8.8625},
    {4,
     -0.4578146893935078,
     {{{-0.4568049, 0.0010098}, {-0.2996618, -0.0290017}, {-0.2852854, 0.0683205}, {0.4881769, 0.0631976}}},
     112,
     8.7625},
};

TEST(MountainCar, DrivesAsGymnasiumsDoes) {
  const auto environment = mountain_car().environment(1);
  for (const Known& known : kKnown) {
    environment->reset(0, Rng(known.seed));
    EXPECT_NEAR(position(*environment), known.start, 1e-6);
    EXPECT_EQ(velocity(*environment), 0);
    Vector total = Vector::Zero(3);
    std::size_t at = 0;
    while (!environment->ended(0)) {
      // The first is beyond 1, and counts as that.
      environment->step(force(environment->steps()[0] / 40 % 2 == 0 ? 1.5 : -0.625));
      total += environment->measurement().col(0);
      const int taken = environment->steps()[0];
      if (taken != 1 && taken != 50 && taken != 100 && taken != known.steps) continue;
      EXPECT_NEAR(position(*environment), known.seen[at][0], 3e-6) << taken;
      EXPECT_NEAR(velocity(*environment), known.seen[at][1], 3e-7) << taken;
      ++at;
    }
    EXPECT_TRUE(environment->terminated(0));
    EXPECT_EQ(total[kSteps], known.steps);
    EXPECT_EQ(total[kReachedRow], 1);
    EXPECT_NEAR(total[kEnergy], known.energy, 1e-9);
  }
}

TEST(MountainCar, IsTooWeakToDriveStraightUp) {
  const World world = mountain_car();
  const auto environment = world.environment(50);
  environment->reset(Rng(1));
  const Eigen::MatrixXf ahead = Eigen::MatrixXf::Ones(1, 50);
  Matrix total = Matrix::Zero(3, 50);
  for (int step = 0; step < 999; ++step) {
    environment->step(ahead);
    total += environment->measurement();
  }
  for (int slot = 0; slot < 50; ++slot) EXPECT_TRUE(environment->truncated(slot));
  EXPECT_TRUE(total.row(kReachedRow).isZero(0));
  EXPECT_NEAR(total(kEnergy, 0), 99.9, 1e-9);
}

TEST(MountainCar, SwingsOutWithLittleEnergy) {
  const auto environment = mountain_car().environment(1);
  for (int episode = 0; episode < 50; ++episode) {
    environment->reset(0, Rng(2).fork("episode", episode));
    double energy = 0;
    while (!environment->ended(0)) {
      environment->step(force(velocity(*environment) >= 0 ? 0.6 : -0.6));
      energy += environment->measurement()(kEnergy, 0);
      EXPECT_EQ(environment->measurement()(kReachedRow, 0), environment->ended(0) ? 1 : 0);
    }
    EXPECT_TRUE(environment->terminated(0));
    EXPECT_GE(position(*environment), 0.45 - 1e-6);
    EXPECT_LT(energy, 6);
  }
}

// Swung along its velocity but held back on the right, it comes to the left wall, which stops it.
TEST(MountainCar, TheLeftWallStopsIt) {
  const auto environment = mountain_car().environment(1);
  environment->reset(0, Rng(3));
  double before = 0;
  while (environment->features()(0, 0) > -1) {
    before = velocity(*environment);
    environment->step(force(velocity(*environment) >= 0 && position(*environment) < 0 ? 1 : -1));
    ASSERT_FALSE(environment->ended(0));
  }
  EXPECT_LT(before, -0.01);
  EXPECT_EQ(environment->features()(0, 0), -1);
  EXPECT_EQ(environment->features()(1, 0), 0);
  // It stands at the wall no longer than a step: the slope there is steeper than the car is strong.
  environment->step(force(-1));
  EXPECT_GT(velocity(*environment), 0);
}

TEST(MountainCar, SaysWhatItMeasuresAndWithinWhichRange) {
  const World world = mountain_car();
  EXPECT_EQ(world.measurements, (std::vector<std::string>{"steps", "reached", "energy"}));
  EXPECT_EQ(world.features, 2);
  EXPECT_EQ(world.controls, 1);
  EXPECT_TRUE(world.has_goal);
  EXPECT_EQ(world.ranges[kSteps].lowest, 1);
  EXPECT_EQ(world.ranges[kSteps].highest, 999);
  EXPECT_EQ(world.ranges[kReachedRow].lowest, 0);
  EXPECT_EQ(world.ranges[kReachedRow].highest, 1);
  EXPECT_EQ(world.ranges[kEnergy].lowest, 0);
  EXPECT_DOUBLE_EQ(world.ranges[kEnergy].highest, 99.9);
}

}  // namespace
}  // namespace c2rl
