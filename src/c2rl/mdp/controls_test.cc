#include <array>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "c2rl/mdp/controls_testing.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

/// Where nothing ends before the horizon, the mean position moves by drift + gain * position.
Vector expected_sum(const World& world, const Vector& drift, double gain) {
  Vector sum = Vector::Zero(2), position = Vector::Zero(2);
  double discount = 1;
  for (int step = 0; step < world.horizon; ++step) {
    const Vector move = drift + gain * position;
    sum += discount * move;
    position += move;
    discount *= world.discount;
  }
  return sum;
}

void expect_near(const Estimate& estimate, const Vector& expected) {
  for (int i = 0; i < expected.size(); ++i) {
    EXPECT_GT(estimate.standard_error[i], 0);
    EXPECT_NEAR(estimate.measurement[i], expected[i], 5 * estimate.standard_error[i]);
  }
}

const World& endless_plane() {
  static const World world = plane_world({.radius = 1e6});
  return world;
}

TEST(Controls, MonteCarloAgreesWithTheMeanMotion) {
  const NormalPolicy policy(Vector{{0.5, -1}}, -0.25, 0.3);
  const Estimate found = estimate(endless_plane(), policy, 4000, Rng(1));
  expect_near(found, expected_sum(endless_plane(), Vector{{0.5, -1}}, -0.25));
  EXPECT_EQ(found.truncated, 4000);
  EXPECT_EQ(found.env_steps, 4000 * endless_plane().horizon);
}

TEST(Controls, MixedPoliciesMeasureTheWeightedMean) {
  const Vector right{{1, 0}}, up{{0, 2}};
  const MixedPolicy mixed(Vector{{0.25, 0.75}}, {std::make_shared<NormalPolicy>(right, 0, 0.1),
                                                 std::make_shared<NormalPolicy>(up, 0.1, 0.1)});
  expect_near(estimate(endless_plane(), mixed, 4000, Rng(2)),
              0.25 * expected_sum(endless_plane(), right, 0) + 0.75 * expected_sum(endless_plane(), up, 0.1));
}

// The first move leads past the radius, or past it within a few steps: no action is drawn after that.
TEST(Controls, EpisodesThatEndAreLeftAlone) {
  const World world = plane_world({.radius = 2, .discount = 1});
  const Estimate found = estimate(world, NormalPolicy(Vector{{10, 0}}, 0, 0), 300, Rng(3));
  EXPECT_EQ(found.terminated, 300);
  EXPECT_EQ(found.env_steps, 300);
  EXPECT_EQ(found.measurement, (Vector{{10, 0}}));
  const Estimate some = estimate(world, NormalPolicy(Vector{{0.3, 0}}, 0, 0.2), 300, Rng(3));
  EXPECT_GT(some.terminated, 0);
  EXPECT_GT(some.truncated, 0);
}

TEST(Controls, StepRefusesWhatIsNoAction) {
  const auto plane = plane_world().environment(2);
  plane->reset(Rng(1));
  const auto message = [&](const Actions& actions) -> std::string {
    try {
      plane->step(actions);
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(std::vector<int>{0, 1}), "step: numbered actions where they are real numbers");
  EXPECT_EQ(message(Eigen::MatrixXf(2, 3)), "step: 3 actions for a batch of 2");
  EXPECT_EQ(message(Eigen::MatrixXf(3, 2)), "step: 3 numbers an action, expected 2");
  Eigen::MatrixXf moves = Eigen::MatrixXf::Zero(2, 2);
  moves(1, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(message(moves), "step: slot 0: an action that is not finite");
  EXPECT_EQ(plane->steps()[1], 0);  // none of them was taken
  // What is said for an ended episode is ignored.
  moves(1, 0) = 100;
  EXPECT_EQ(message(moves), "");
  EXPECT_TRUE(plane->terminated(0));
  moves(1, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(message(moves), "");
  EXPECT_EQ(plane->steps()[0], 1);
  EXPECT_EQ(plane->steps()[1], 2);
}

TEST(Controls, NumberedWorldsAndPoliciesDoNotMixWithThem) {
  const TabularModel model = navigation_model();
  const auto numbered = make_world(model).environment(1);
  numbered->reset(Rng(1));
  EXPECT_THROW(numbered->step(Eigen::MatrixXf(Eigen::MatrixXf::Zero(2, 1))), std::logic_error);
  const auto tabular = TabularPolicy::deterministic(std::vector<std::int32_t>{0});
  EXPECT_THROW(estimate(endless_plane(), *tabular, 2, Rng(1)), std::logic_error);
}

TEST(Signals, TellIndicesFromRealNumbersEvenWhereThereAreNone) {
  EXPECT_TRUE(Signals(std::vector<int>{}).are_indices());
  EXPECT_TRUE(Signals(std::array{1, 2}).are_indices());
  const Eigen::MatrixXf none(3, 0), two = Eigen::MatrixXf::Ones(3, 2);
  EXPECT_FALSE(Signals(none).are_indices());
  EXPECT_EQ(Signals(two, 1).values(), Eigen::MatrixXf(Eigen::MatrixXf::Ones(3, 1)));
  EXPECT_THROW(Signals(two, 3), std::logic_error);
}

}  // namespace
}  // namespace c2rl
