#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"

namespace c2rl {
namespace {

using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
constexpr int kSpeed = 0, kSine = 1, kCosine = 2, kWay = 3, kFirstSector = 4, kSectors = 16;
constexpr int kSteps = 0, kReachedRow = 1, kHazard = 2, kEnergy = 3, kProgress = 4;

World point_robot(const std::string& keys = "") {
  return make_world(
      Config::parse("[environment]\nkind = \"point-robot\"\n" + keys, "p.toml").section("environment"));
}

Eigen::MatrixXf controls(double force, double turn) {
  Eigen::MatrixXf both(2, 1);
  both << static_cast<float>(force), static_cast<float>(turn);
  return both;
}

/// The same world again, in the complex plane: places are numbers, a heading is one of length 1.
struct ComplexRobot {
  ComplexRobot(Rng rng, int hazard_count, double hazard_radius) : radius(hazard_radius) {
    const auto draw = [&](double reach) {
      const double x = rng.uniform(), y = rng.uniform();
      return reach * (2.0 * Complex(x, y) - Complex(1, 1));
    };
    place = draw(1.5);
    goal = draw(1.2);
    while (std::abs(goal - place) < 1) goal = draw(1.2);
    while (std::ssize(hazards) < hazard_count) {
      const Complex middle = draw(1.5);
      if (std::abs(middle - place) >= radius + 0.2 && std::abs(middle - goal) >= radius + 0.3)
        hazards.push_back(middle);
    }
    heading = std::polar(1.0, kPi * (2 * rng.uniform() - 1));
  }

  void step(double force, double turn) {
    force = std::min(std::max(force, -1.0), 1.0);
    turn = std::min(std::max(turn, -1.0), 1.0);
    heading *= std::polar(1.0, 0.2 * turn);
    speed = 0.8 * speed + 0.2 * force;
    const Complex before = place, free = place + 0.1 * speed * heading;
    place = {std::min(std::max(free.real(), -1.5), 1.5), std::min(std::max(free.imag(), -1.5), 1.5)};
    if (place != free) {
      ++wall_steps;
      speed = 10 * ((place - before) * std::conj(heading)).real();
    }
    const bool arrived = std::abs(goal - place) <= 0.3;
    const bool in_hazard =
        std::ranges::any_of(hazards, [&](Complex h) { return std::abs(h - place) <= radius; });
    measured = Vector{{1, arrived ? 1.0 : 0.0, in_hazard ? 1.0 : 0.0, 0.1 * (force * force + turn * turn),
                       std::abs(goal - before) - std::abs(goal - place)}};
  }

  Vector seen() const {
    Vector all = Vector::Zero(kFirstSector + kSectors);
    const Complex ahead = (goal - place) / heading;
    all.head(kFirstSector) << speed, std::sin(std::arg(ahead)), std::cos(std::arg(ahead)),
        std::abs(ahead) / 3;
    for (int sector = 0; sector < kSectors; ++sector) {
      const Complex middle = std::polar(1.0, sector * kPi / 8);
      for (const Complex hazard : hazards) {
        const double beside = std::abs(std::arg((hazard - place) / heading / middle)) / (kPi / 8);
        const double part = std::min(1.0, std::max(0.0, 1.5 - beside));
        const double closeness = part * std::max(0.0, 1 - std::abs(hazard - place) / 1.5);
        all[kFirstSector + sector] = std::max(all[kFirstSector + sector], closeness);
      }
    }
    return all;
  }

  double radius;
  Complex place, goal, heading;
  double speed = 0;
  std::vector<Complex> hazards;
  Vector measured;
  int wall_steps = 0;
};

TEST(PointRobot, MovesSeesAndMeasuresAsComplexNumbersSay) {
  const auto environment = point_robot("hazards = 12\nhazard_radius = 0.3\n").environment(1);
  int wall_steps = 0, hazard_steps = 0, arrived = 0;
  for (int episode = 0; episode < 40; ++episode) {
    const Rng stream = Rng(11).fork("episode", episode);
    environment->reset(0, stream);
    ComplexRobot robot(stream, 12, 0.3);
    Rng decider = Rng(12).fork("actions", episode);
    ASSERT_TRUE(environment->features().col(0).cast<double>().isApprox(robot.seen(), 1e-6));
    while (!environment->ended(0)) {
      const Eigen::MatrixXf action = controls(0.7 + decider.normal(), decider.normal());
      environment->step(action);
      robot.step(action(0, 0), action(1, 0));
      ASSERT_TRUE(environment->measurement().col(0).isApprox(robot.measured, 1e-6));
      ASSERT_TRUE(environment->features().col(0).cast<double>().isApprox(robot.seen(), 1e-5));
      hazard_steps += robot.measured[kHazard] > 0 ? 1 : 0;
    }
    EXPECT_EQ(environment->terminated(0), robot.measured[kReachedRow] == 1);
    arrived += environment->terminated(0) ? 1 : 0;
    wall_steps += robot.wall_steps;
  }
  // All of it happened.
  EXPECT_GT(wall_steps, 100);
  EXPECT_GT(hazard_steps, 100);
  EXPECT_GT(arrived, 0);
  EXPECT_LT(arrived, 40);
}

TEST(PointRobot, DragTakesAFifthOfTheSpeedAStep) {
  const auto environment = point_robot().environment(1);
  environment->reset(0, Rng(1));
  environment->step(controls(0.5, 0));
  EXPECT_FLOAT_EQ(environment->features()(kSpeed, 0), 0.1f);
  for (int step = 1; step <= 5; ++step) {
    environment->step(controls(0, 0));
    EXPECT_NEAR(environment->features()(kSpeed, 0), 0.1 * std::pow(0.8, step), 1e-7);
    EXPECT_EQ(environment->measurement()(kEnergy, 0), 0);
  }
}

// In place, half a sector at a time: what was seen in one sector is then seen in the next one to the right.
TEST(PointRobot, TurningLeftMovesWhatIsSeenToTheRight) {
  const auto environment = point_robot("hazards = 5\n").environment(1);
  environment->reset(0, Rng(3));
  const Eigen::VectorXf before = environment->features().col(0);
  const double half_sector = kPi / 16 / 0.2;
  for (int i = 0; i < 2; ++i) environment->step(controls(0, half_sector));
  const Eigen::VectorXf after = environment->features().col(0);
  for (int sector = 0; sector < kSectors; ++sector)
    EXPECT_NEAR(after[kFirstSector + sector], before[kFirstSector + (sector + 1) % kSectors], 1e-5);
  EXPECT_GT(before.tail(kSectors).maxCoeff(), 0);
  const double bearing = std::atan2(before[kSine], before[kCosine]) - kPi / 8;
  EXPECT_NEAR(after[kSine], std::sin(bearing), 1e-6);
  EXPECT_NEAR(after[kCosine], std::cos(bearing), 1e-6);
  EXPECT_EQ(after[kWay], before[kWay]);
}

// Walls take speed and never give any: a robot that only drives ahead ends in a corner, or creeps along a wall
// that it faces, unless the goal is in its way.
TEST(PointRobot, WallsHoldIt) {
  const auto environment = point_robot("hazards = 0\nhorizon = 1000\n").environment(1);
  constexpr double kCreep = 1e-3;
  int held = 0;
  for (int episode = 0; episode < 50; ++episode) {
    environment->reset(0, Rng(4).fork("episode", episode));
    while (!environment->ended(0)) {
      environment->step(controls(1, 0));
      ASSERT_GE(environment->features()(kSpeed, 0), 0);
      ASSERT_LE(environment->features()(kSpeed, 0), 1);
    }
    if (environment->terminated(0)) continue;
    ++held;
    EXPECT_LT(environment->features()(kSpeed, 0), kCreep);
    EXPECT_LT(std::abs(environment->measurement()(kProgress, 0)), kCreep);
  }
  EXPECT_GT(held, 10);
}

/// Turns to the goal and drives.
Eigen::MatrixXf to_the_goal(const Environment& environment) {
  const auto seen = environment.features().col(0);
  return controls(std::max(0.0f, seen[kCosine]), 3 * std::atan2(seen[kSine], seen[kCosine]));
}

TEST(PointRobot, SteeringToTheGoalArrives) {
  const World world = point_robot("horizon = 100\n");
  const auto environment = world.environment(1);
  double hazard_steps = 0;
  for (int episode = 0; episode < 200; ++episode) {
    environment->reset(0, Rng(5).fork("episode", episode));
    const double first_way = 3.0 * environment->features()(kWay, 0);
    EXPECT_GE(first_way, 1 - 1e-6);
    Vector total = Vector::Zero(world.dim());
    int steps = 0;
    while (!environment->ended(0)) {
      environment->step(to_the_goal(*environment));
      total += environment->measurement().col(0);
      // Nobody starts in a hazard, and none is in the goal.
      if (++steps == 1 || environment->ended(0)) {
        EXPECT_EQ(environment->measurement()(kHazard, 0), 0);
      }
    }
    const double last_way = 3.0 * environment->features()(kWay, 0);
    EXPECT_TRUE(environment->terminated(0));
    EXPECT_LE(last_way, 0.3 + 1e-6);
    EXPECT_EQ(total[kReachedRow], 1);
    EXPECT_EQ(total[kSteps], steps);
    EXPECT_NEAR(total[kProgress], first_way - last_way, 1e-6);
    hazard_steps += total[kHazard];
  }
  EXPECT_GT(hazard_steps, 100);  // about one an episode: there is something to avoid
}

TEST(PointRobot, ALayoutMayStay) {
  const auto first_way = [](const World& world, int episode) {
    const auto environment = world.environment(1);
    environment->reset(0, Rng(6).fork("episode", episode));
    return environment->features()(kWay, 0);
  };
  const World anew = point_robot(), first = point_robot("layout = 1\n"), second = point_robot("layout = 2\n");
  EXPECT_NE(first_way(anew, 0), first_way(anew, 1));
  EXPECT_EQ(first_way(first, 0), first_way(first, 1));
  EXPECT_NE(first_way(first, 0), first_way(second, 0));
  // The heading is drawn all the same.
  const auto environment = first.environment(2);
  environment->reset(Rng(7));
  EXPECT_NE(environment->features()(kSine, 0), environment->features()(kSine, 1));
  EXPECT_FALSE(first.deterministic);
}

TEST(PointRobot, NothingIsLeftToChanceWhereLayoutAndHeadingStay) {
  EXPECT_FALSE(point_robot("heading_spread = 0\n").deterministic);
  const World same = point_robot("layout = 1\nheading_spread = 0\n");
  EXPECT_TRUE(same.deterministic);
  const auto environment = same.environment(2);
  environment->reset(Rng(7));
  EXPECT_EQ(environment->features().col(0), environment->features().col(1));
  const double bearing = std::atan2(environment->features()(kSine, 0), environment->features()(kCosine, 0));
  const auto narrow = point_robot("layout = 1\nheading_spread = 0.25\n").environment(50);
  narrow->reset(Rng(9));
  for (int slot = 0; slot < 50; ++slot) {
    const double seen = std::atan2(narrow->features()(kSine, slot), narrow->features()(kCosine, slot));
    EXPECT_LE(std::abs(std::remainder(seen - bearing, 2 * kPi)), kPi / 4 + 1e-6);
  }
}

TEST(PointRobot, SaysWhatItMeasuresAndWithinWhichRange) {
  const World world = point_robot("discount = 0.5\nhorizon = 2\n");
  EXPECT_EQ(world.measurements,
            (std::vector<std::string>{"steps", "reached", "hazard", "energy", "progress"}));
  EXPECT_EQ(world.features, kFirstSector + kSectors);
  EXPECT_EQ(world.controls, 2);
  EXPECT_TRUE(world.has_goal);
  const double most = 1.5, diagonal = 2.7 * std::numbers::sqrt2;
  const std::vector<TotalRange> expected = {
      {1, most}, {0, 1}, {0, most}, {0, 0.2 * most}, {1 - diagonal, diagonal}};
  for (int i = 0; i < world.dim(); ++i) {
    EXPECT_DOUBLE_EQ(world.ranges[i].lowest, expected[i].lowest) << world.measurements[i];
    EXPECT_DOUBLE_EQ(world.ranges[i].highest, expected[i].highest) << world.measurements[i];
  }
}

// The most and largest that there can be are placed, too.
TEST(PointRobot, ACrowdedArenaHasItsPlaces) {
  const auto environment = point_robot("hazards = 64\nhazard_radius = 0.5\n").environment(20);
  environment->reset(Rng(8));
  environment->step(Eigen::MatrixXf(Eigen::MatrixXf::Zero(2, 20)));
  EXPECT_TRUE(environment->measurement().row(kHazard).isZero(0));
}

}  // namespace
}  // namespace c2rl
