#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/aim_testing.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/standardizer.h"

namespace c2rl {
namespace {

World cart_pole() {
  return make_world(Config::parse("[environment]\nkind = \"cart-pole\"\n", "p.toml").section("environment"));
}

TEST(Ppo, BalancesThePoleWithFewSteps) {
  ActorCriticOptions options = ppo_options();
  options.training_steps = 50'000;
  const ActorCriticOracle oracle(cart_pole(), options);
  // Of 200 steps; at random it is 22. SB3's PPO with the settings published for it needs as many steps.
  constexpr int kSeeds = 3;
  double mean = 0;
  for (int seed = 0; seed < kSeeds; ++seed)
    mean += oracle.minimize(Vector{{-1, 0}}, Rng(seed)).measurement[0] / kSeeds;
  EXPECT_GE(mean, 185);
}

TEST(Ppo, FindsTheNavigationOptima) {
  const auto model = std::make_shared<const TabularModel>(navigation_model());
  const DynamicProgramming exact(model);
  const ActorCriticOracle oracle(make_world(model), ppo_options());
  for (const Vector& direction : {Vector{{1, 0}}, Vector{{1, 1}}, Vector{{1, 3}}}) {
    const double least = direction.dot(exact.minimize(direction, Rng(0)).measurement);
    for (int seed = 0; seed < 2; ++seed) {
      EXPECT_LE(direction.dot(oracle.minimize(direction, Rng(seed)).measurement), 1.05 * least)
          << direction.transpose() << ", seed " << seed;
    }
  }
}

TEST(Ppo, AimsWithRealNumbers) {
  for (const bool squashed : {false, true}) {
    ActorCriticOptions options = ppo_options();
    options.training_steps = 60'000;
    options.squashed = squashed;
    options.evaluation.evaluation_episodes = 1000;
    const OracleAnswer answer = ActorCriticOracle(Aim::world(), options).minimize(Vector{{1, 1}}, Rng(1));
    // The best that does not look is 1/12 and 1/48.
    EXPECT_LE(answer.measurement[0], 0.01) << squashed;
    EXPECT_LE(answer.measurement[1], 0.01) << squashed;
    EXPECT_TRUE(answer.policy->is_deterministic());
  }
}

// What is good in one direction only is all that it is led by.
TEST(Ppo, TheDirectionDecides) {
  ActorCriticOptions options = ppo_options();
  options.training_steps = 40'000;
  const OracleAnswer answer = ActorCriticOracle(Aim::world(), options).minimize(Vector{{1, -1}}, Rng(1));
  EXPECT_LE(answer.measurement[0], 0.05);
  EXPECT_GE(answer.measurement[1], 0.5);
}

TEST(Ppo, StopsWhenItIsGoodEnough) {
  const ActorCriticOracle oracle(cart_pole(), ppo_options());
  OracleCall call{.direction = Vector{{-1, 0}}, .rng = Rng(1)};
  call.enough = -150;
  const OracleAnswer early = oracle.minimize(call);
  EXPECT_GE(early.measurement[0], 140);
  EXPECT_LT(early.steps.training, 60'000);
  // The first check was good enough: it is the evaluation, too.
  EXPECT_EQ(early.steps.checks, 0);
  EXPECT_GT(early.steps.evaluation, 0);
}

TEST(Ppo, RefusesNumberedStatesWithControls) {
  World world = Aim::world();
  world.features = 0;
  world.states = 3;
  EXPECT_THROW(ActorCriticOracle(world, ppo_options()), InputError);
}

// Whatever has been seen: the network stays the same function of the features themselves.
TEST(Standardizer, ChangesCoordinatesNotWhatTheNetworkSays) {
  NetworkShape shape{.inputs = 3};
  shape.heads = {{.name = "policy", .hidden = {5}, .outputs = 2}, {.name = "value", .outputs = 2}};
  Network network(shape, 8), raw(shape, 8);
  network.initialize(Initialization::orthogonal, Rng(1));
  raw.parameters() = network.parameters();
  Standardizer standardizer(3);
  Rng rng(2);
  const Eigen::MatrixXf shown =
      Eigen::MatrixXf::NullaryExpr(3, 8, [&] { return static_cast<float>(rng.normal()); });
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 50; ++i) {
      const Eigen::Vector3f seen(static_cast<float>(3 + round + 5 * rng.normal()),
                                 static_cast<float>(0.1 * rng.normal()), 7.0f);
      standardizer.add(seen);
    }
    standardizer.renew(network);
    Eigen::MatrixXf read(3, 8);
    standardizer.apply(shown, read);
    network.forward(read);
    raw.forward(shown);
    for (int head = 0; head < 2; ++head)
      EXPECT_LT((network.output(head) - raw.output(head)).cwiseAbs().maxCoeff(), 1e-4f) << round;
  }
  Network undone(shape, 8);
  undone.parameters() = network.parameters();
  standardizer.undo(undone);
  EXPECT_LT((undone.parameters() - raw.parameters()).cwiseAbs().maxCoeff(), 1e-4f);
}

}  // namespace
}  // namespace c2rl
