#include "c2rl/oracle/sac.h"

#include <cmath>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/oracle/aim_testing.h"

namespace c2rl {
namespace {

SacOptions few_steps(std::int64_t steps) {
  SacOptions options;
  options.replay.training_steps = steps;
  options.choice.evaluation.evaluation_episodes = 1000;
  return options;
}

TEST(Sac, AimsWithRealNumbers) {
  const OracleAnswer answer = Sac(Aim::world(), few_steps(6000)).minimize(Vector{{1, 1}}, Rng(1));
  // The best that does not look is 1/12 and 1/48.
  EXPECT_LE(answer.measurement[0], 0.01);
  EXPECT_LE(answer.measurement[1], 0.01);
  EXPECT_TRUE(answer.policy->is_deterministic());
}

// What is good in one direction only is all that it is led by; what was seen for one serves the next.
TEST(Sac, TheDirectionDecides) {
  SacOptions options = few_steps(5000);
  const Sac oracle(Aim::world(), options);
  const OracleAnswer first = oracle.minimize(Vector{{1, 1}}, Rng(1));
  OracleCall next{.direction = Vector{{1, -1}}, .rng = Rng(2), .memory = {first.memory}};
  next.enough = -0.5;
  const OracleAnswer answer = oracle.minimize(next);
  EXPECT_LE(answer.measurement[0], 0.05);
  EXPECT_GE(answer.measurement[1], 0.5);
  EXPECT_LT(answer.steps.training, 2500);
}

TEST(Sac, OneNetworkAnswersAllDirections) {
  SacOptions options = few_steps(2000);
  options.replay.conditioned = true;
  options.choice.checks = 1;  // the answer is the network as it is left
  const Sac oracle(Aim::world(), options);
  const OracleAnswer first = oracle.minimize(Vector{{1, 1}}, Rng(1));
  OracleCall next{.direction = Vector{{1, -1}}, .rng = Rng(2), .memory = {first.memory}};
  next.enough = 1e9;
  const OracleAnswer second = oracle.minimize(next);
  EXPECT_EQ(second.steps.training, 0);
  const std::vector<Tensor> one = first.policy->arrays(), two = second.policy->arrays();
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_EQ(one[i].bytes == two[i].bytes, one[i].name != "trunk.0.bias") << one[i].name;
  EXPECT_EQ(second.policy->shared().size(), one.size() - 1);
}

TEST(Sac, SameBitsOnAnyNumberOfThreads) {
  const Sac oracle(Aim::world(), few_steps(2000));
  const auto answer = [&](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return oracle.minimize(Vector{{1, 1}}, Rng(1));
  };
  const OracleAnswer one = answer(1), many = answer(5);
  EXPECT_EQ(bytes_of(*many.policy), bytes_of(*one.policy));
  EXPECT_EQ(many.measurement, one.measurement);
  EXPECT_EQ(to_bytes(*many.memory), to_bytes(*one.memory));
}

TEST(Sac, SwingsThePendulumUpWithFewSteps) {
  const World world =
      make_world(Config::parse("[environment]\nkind = 'pendulum'\n", "p.toml").section("environment"));
  SacOptions options = few_steps(16'000);
  options.choice.evaluation.evaluation_episodes = 50;
  // The cost of Gymnasium's Pendulum-v1 is about 1200 at random; the best policies have 150.
  EXPECT_LE(Sac(world, options).minimize(Vector{{1, 0, 0}}, Rng(1)).measurement[0], 300);
}

// Of random actions on the pendulum, whose episodes have 200 steps each, the part that is another than in the step before.
double part_of_changes(double hold) {
  constexpr int kSteps = 8000;
  const World world =
      make_world(Config::parse("[environment]\nkind = 'pendulum'\n", "p.toml").section("environment"));
  SacOptions options = few_steps(kSteps);
  options.hold = hold;
  options.replay.first_steps = kSteps;
  const OracleCall call{.direction = Vector{{1, 0, 0}}, .rng = Rng(3)};
  SacTraining training(world, options, call);
  while (training.env_steps() < kSteps) training.update();
  const int slots = options.replay.environments;
  int changes = 0;
  for (int i = slots; i < kSteps; ++i)
    changes += training.transitions().controls(0, i) != training.transitions().controls(0, i - slots);
  return static_cast<double>(changes) / (kSteps - slots);
}

TEST(Sac, HoldsRandomActionsForAWhile) {
  EXPECT_EQ(part_of_changes(1), 1);
  EXPECT_NEAR(part_of_changes(10), 0.1, 0.015);  // four standard errors
}

// By actions that change with every step, the car hardly ever gets there.
TEST(Sac, DrivesTheMountainCarByPushesThatLast) {
  const World world =
      make_world(Config::parse("[environment]\nkind = 'mountain-car'\n", "c.toml").section("environment"));
  SacOptions options = few_steps(20'000);
  options.hold = 30;
  options.replay.first_steps = 10'000;
  options.choice.evaluation.evaluation_episodes = 50;
  EXPECT_GE(Sac(world, options).minimize(Vector{{0, -1, 0}}, Rng(1)).measurement[1], 0.9);
}

TEST(Sac, RefusesNumberedActions) {
  EXPECT_THROW(Sac(make_world(std::make_shared<const TabularModel>(navigation_model()))), InputError);
}

/// In a world of one state that never ends, 0 is the best number: the temperature keeps the actor from doing that alone, so
/// that its entropy is what it is to be, and the value of entropy that of all steps that follow.
TEST(SoftActorCritic, KeepsTheEntropyAndKnowsItsValue) {
  WorldShape shape;
  shape.measurements = {"square"};
  shape.features = 1;
  shape.controls = 1;
  Transitions transitions(shape, 1, 64);
  Rng rng(1);
  for (int i = 0; i < 64; ++i) {
    transitions.add();
    transitions.features(0, i) = transitions.next_features(0, i) = 0;
    transitions.controls(0, i) = static_cast<float>(2 * rng.uniform() - 1);
    transitions.outcome(0, i) = transitions.controls(0, i) * transitions.controls(0, i);
    transitions.terminated[i] = 0;
  }
  const SoftActorCriticSettings settings{
      .hidden = {16}, .batch = 64, .discount = 0.5, .target_rate = 0.05, .target_entropy = 0.3};
  SoftActorCritic learner(shape, transitions, settings, Rng(2));
  learner.set_prices(Eigen::VectorXf::Constant(1, -1.0f));
  learner.standardize();
  for (int i = 0; i < 4000; ++i) learner.update(2e-3);
  // Of drawn actions, the density estimated by counting them in bins.
  constexpr int kDraws = 40'000, kBins = 40;
  std::vector<double> bins(kBins, 0.0);
  const Eigen::MatrixXf seen = Eigen::MatrixXf::Zero(1, 1);
  Eigen::MatrixXf action(1, 1);
  for (int i = 0; i < kDraws; ++i) {
    learner.act(seen, rng, action);
    bins[std::min(kBins - 1, static_cast<int>((action(0, 0) + 1) / 2 * kBins))] += 1.0 / kDraws;
  }
  double entropy = 0;
  for (const double part : bins) entropy -= part > 0 ? part * std::log(part * kBins / 2) : 0;
  EXPECT_NEAR(entropy, 0.3, 0.1);
  // 0.3 with every step from the next on: 0.5 * 0.3 / (1 - 0.5).
  EXPECT_NEAR(learner.value(seen, action)[1], 0.3, 0.1);
}

}  // namespace
}  // namespace c2rl
