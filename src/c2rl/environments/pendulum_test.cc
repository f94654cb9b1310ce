#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kCost = 0, kEnergy = 1, kUpright = 2;

World pendulum(const std::string& keys = "") {
  return make_world(
      Config::parse("[environment]\nkind = \"pendulum\"\n" + keys, "p.toml").section("environment"));
}

Eigen::MatrixXf torque(double control) {
  return Eigen::MatrixXf::Constant(1, 1, static_cast<float>(control));
}

double angle(const Environment& environment) {
  return std::atan2(environment.features()(1, 0), environment.features()(0, 0));
}
double speed(const Environment& environment) {
  return 8 * environment.features()(2, 0);
}

/// What Gymnasium 1.4 computes from the start that a seed draws, under ten steps of full torque and ten of
/// -0.625 of it, in turn.
struct Known {
  int seed;
  double angle, speed;                        // at the start
  std::array<std::array<double, 3>, 4> seen;  // cosine, sine and speed after 1, 50, 100 and 200 steps
  double cost;                                // of all steps
};
const Known kKnown[] = {
    {1,
     2.4798772106449953,
     0.42253615315338866,
     {{{-0.82389538, 0.56674192, 1.18338950},
       {-0.52389537, -0.85178262, 0.90164662},
       {-0.61753480, 0.78654356, -1.92882899},
       {-0.79603082, 0.60525608, -4.28147421}}},
     1441.734164492},
    // This one is at its top speed in 25 of the steps.
    {2,
     -0.017089505555562462,
     -0.20100166696360366,
     {{{0.99991833, -0.01278007, 0.08618183},
       {0.84423075, -0.53597989, 6.17523434},
       {-0.76848024, -0.63987352, 7.44062877},
       {-0.47871753, -0.87796898, 6.67931932}}},
     1344.951773024},
};

TEST(Pendulum, SwingsAsGymnasiumsDoes) {
  const auto environment = pendulum().environment(1);
  for (const Known& known : kKnown) {
    environment->reset(0, Rng(known.seed));
    EXPECT_NEAR(angle(*environment), known.angle, 1e-6);
    EXPECT_NEAR(speed(*environment), known.speed, 1e-6);
    double cost = 0;
    std::size_t at = 0;
    for (int step = 0; step < 200; ++step) {
      // The first is beyond 1, and counts as that.
      environment->step(torque(step / 10 % 2 == 0 ? 1.5 : -0.625));
      cost += environment->measurement()(kCost, 0);
      const int taken = step + 1;
      if (taken != 1 && taken != 50 && taken != 100 && taken != 200) continue;
      EXPECT_NEAR(environment->features()(0, 0), known.seen[at][0], 1e-6) << taken;
      EXPECT_NEAR(environment->features()(1, 0), known.seen[at][1], 1e-6) << taken;
      EXPECT_NEAR(speed(*environment), known.seen[at][2], 1e-5) << taken;
      ++at;
    }
    EXPECT_NEAR(cost, known.cost, 1e-6);
    EXPECT_TRUE(environment->truncated(0));
  }
}

// Kinetic and potential energy, per mass: the steps of a free pendulum neither feed it nor drain it. They are
// of first order, so that the sum of both sways with the time step, but by no more after 2000 steps than at
// first.
TEST(Pendulum, ItsOwnEnergyStaysWithoutTorque) {
  const auto environment = pendulum("horizon = 2000\n").environment(1);
  for (int episode = 0; episode < 10; ++episode) {
    environment->reset(0, Rng(3).fork("episode", episode));
    const auto own_energy = [&] {
      return speed(*environment) * speed(*environment) / 6 + 5 * environment->features()(0, 0);
    };
    double sum[2] = {0, 0};
    for (int step = 0; step < 2000; ++step) {
      environment->step(torque(0));
      sum[step / 1000] += own_energy();
      EXPECT_EQ(environment->measurement()(kEnergy, 0), 0);
    }
    EXPECT_NEAR(sum[0] / 1000, sum[1] / 1000, 0.05) << episode;
  }
}

TEST(Pendulum, StartsAnywhereSlowly) {
  const auto environment = pendulum().environment(1);
  double farthest = 0, fastest = 0, mean = 0;
  constexpr int kStarts = 2000;
  for (int episode = 0; episode < kStarts; ++episode) {
    environment->reset(0, Rng(4).fork("episode", episode));
    farthest = std::max(farthest, std::abs(angle(*environment)));
    fastest = std::max(fastest, std::abs(speed(*environment)));
    mean += angle(*environment) / kStarts;
  }
  EXPECT_GT(farthest, 0.99 * kPi);
  EXPECT_GT(fastest, 0.99);
  EXPECT_LE(fastest, 1);
  EXPECT_NEAR(mean, 0, 5 * kPi / std::sqrt(3.0 * kStarts));
}

TEST(Pendulum, MeasuresWhatEachStepTook) {
  const auto environment = pendulum("upright = 0.5\n").environment(1);
  int upright = 0;
  for (int episode = 0; episode < 20; ++episode) {
    environment->reset(0, Rng(5).fork("episode", episode));
    for (int step = 0; step < 50; ++step) {
      const double control = step % 3 - 1.0, before = angle(*environment), spin = speed(*environment);
      environment->step(torque(control));
      const auto measured = environment->measurement().col(0);
      EXPECT_NEAR(measured[kCost], before * before + 0.1 * spin * spin + 0.004 * control * control, 1e-5);
      EXPECT_NEAR(measured[kEnergy], 0.2 * control * control, 1e-12);
      EXPECT_EQ(measured[kUpright], std::abs(angle(*environment)) <= 0.5 ? 1 : 0);
      upright += static_cast<int>(measured[kUpright]);
    }
  }
  EXPECT_GT(upright, 0);
  EXPECT_LT(upright, 1000);
}

TEST(Pendulum, SaysWhatItMeasuresAndWithinWhichRange) {
  const World world = pendulum();
  EXPECT_EQ(world.measurements, (std::vector<std::string>{"cost", "energy", "upright"}));
  EXPECT_EQ(world.features, 3);
  EXPECT_EQ(world.controls, 1);
  EXPECT_TRUE(world.can_be_acted_in());
  EXPECT_EQ(world.horizon, 200);
  EXPECT_DOUBLE_EQ(world.ranges[kCost].highest, 200 * (kPi * kPi + 6.4 + 0.004));
  EXPECT_DOUBLE_EQ(world.ranges[kEnergy].highest, 40);
  EXPECT_DOUBLE_EQ(world.ranges[kUpright].highest, 200);
  EXPECT_DOUBLE_EQ(pendulum("discount = 0.5\nhorizon = 2\n").ranges[kEnergy].highest, 0.3);
  for (const TotalRange& range : world.ranges) EXPECT_EQ(range.lowest, 0);
}

}  // namespace
}  // namespace c2rl
