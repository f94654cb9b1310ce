#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

World cart_pole(const std::string& keys = "") {
  return make_world(
      Config::parse("[environment]\nkind = \"cart-pole\"\n" + keys, "p.toml").section("environment"));
}

std::string error_of(const std::string& keys) {
  try {
    cart_pole(keys);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CartPole, ShowsFeaturesAndMeasuresStepsAndThoseAway) {
  const World world = cart_pole("middle = 0\n");
  EXPECT_EQ(world.measurements, (std::vector<std::string>{"steps", "away"}));
  EXPECT_EQ(world.states, 0);
  EXPECT_EQ(world.features, 4);
  EXPECT_EQ(world.actions, 2);
  EXPECT_EQ(world.model, nullptr);
  const auto environment = world.environment(2);
  environment->reset(Rng(1));
  EXPECT_FALSE(environment->observations().are_indices());
  environment->step(std::vector<int>{0, 1});
  EXPECT_EQ(environment->measurement(), Matrix(Matrix::Ones(2, 2)));  // a middle of no width is left at once
}

// Pushed always to one side, the pole falls to the other within a few steps, and the cart has gained speed.
TEST(CartPole, ThePoleFallsAgainstThePush) {
  const auto environment = cart_pole().environment(2);
  environment->reset(Rng(2));
  int steps = 0;
  while (!environment->terminated(0) || !environment->terminated(1)) {
    environment->step(std::vector<int>{0, 1});
    ASSERT_LT(++steps, 15);
  }
  EXPECT_GE(steps, 8);
  EXPECT_LT(environment->features()(1, 0), 0);
  EXPECT_GT(environment->features()(2, 0), 1);  // past 12 degrees
  EXPECT_GT(environment->features()(1, 1), 0);
  EXPECT_LT(environment->features()(2, 1), -1);
}

// One step from rest, upright, by hand: thrust 10 / 1.1; spin rate -thrust / (0.5 (4/3 - 0.1 / 1.1));
// acceleration thrust - 0.05 * spin rate / 1.1. Velocities change by 0.02 of these.
TEST(CartPole, OneStepByHand) {
  const auto environment = cart_pole().environment(1);
  environment->reset(0, Rng(3));
  const Eigen::VectorXf before = environment->features().col(0);
  environment->step(std::vector<int>{1});
  const Eigen::VectorXf after = environment->features().col(0);
  const double thrust = 10 / 1.1, spin_rate = -thrust / (0.5 * (4.0 / 3 - 0.1 / 1.1));
  const double acceleration = thrust - 0.05 * spin_rate / 1.1;
  EXPECT_NEAR(after[1] - before[1], 0.5 * 0.02 * acceleration, 0.01);  // the start is near rest, not at it
  EXPECT_NEAR(after[3] - before[3], 0.5 * 0.02 * spin_rate, 0.02);
  // Positions move with the old velocities: features are position / 2.4 and angle / 12 degrees.
  EXPECT_NEAR(after[0] - before[0], 0.02 * before[1] / 0.5 / 2.4, 1e-6);
  EXPECT_NEAR(after[2] - before[2], 0.02 * before[3] / 0.5 / (12 * 3.14159265 / 180), 1e-6);
}

TEST(CartPole, IsCutAtTheHorizonUnlessItFalls) {
  const auto environment = cart_pole("horizon = 5\n").environment(1);
  environment->reset(0, Rng(4));
  for (int i = 0; i < 5; ++i) environment->step(std::vector<int>{i % 2});
  EXPECT_TRUE(environment->truncated(0));
  EXPECT_FALSE(environment->terminated(0));
}

TEST(CartPole, BadKeysAreRefused) {
  EXPECT_NE(error_of("horizon = 0\n").find("environment.horizon"), std::string::npos);
  EXPECT_NE(error_of("middle = 3\n").find("environment.middle"), std::string::npos);
  EXPECT_NE(error_of("centre = 1\n").find("environment.centre"), std::string::npos);
}

}  // namespace
}  // namespace c2rl
