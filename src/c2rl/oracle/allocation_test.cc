#include "c2rl/base/allocation_testing.h"
#ifdef C2RL_COUNTS_ALLOCATIONS

#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/controls_testing.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/dqn.h"
#include "c2rl/oracle/q_training.h"
#include "c2rl/oracle/sac.h"

namespace c2rl {
namespace {

/// Allocations of some updates once training has begun.
template <typename Training>
long allocations_of(Training& training) {
  training.update();
  const long before = allocations;
  for (int i = 0; i < 30; ++i) training.update();
  return allocations - before;
}

TEST(Allocation, LearningByActingTakesNothing) {
  const World navigation = make_world(std::make_shared<const TabularModel>(navigation_model()));
  const World cart_pole =
      make_world(Config::parse("[environment]\nkind = \"cart-pole\"\n", "p.toml").section("environment"));
  for (const World& world : {navigation, cart_pole}) {
    for (const Returns returns : {Returns::gae, Returns::monte_carlo}) {
      const ActorCriticOptions options{.returns = returns};
      for (const bool resumable : {false, true}) {
        ActorCritic training(world, options, Vector{{1, 1}}, 1'000'000'000, Rng(1), nullptr, resumable);
        EXPECT_EQ(allocations_of(training), 0)
            << world.states << " " << returns_names().of(returns) << " " << resumable;
      }
    }
  }
}

TEST(Allocation, ManyStepsOnARolloutTakeNothing) {
  const World cart_pole =
      make_world(Config::parse("[environment]\nkind = \"cart-pole\"\n", "p.toml").section("environment"));
  const World navigation = make_world(std::make_shared<const TabularModel>(navigation_model()));
  for (const World& world : {navigation, cart_pole, plane_world()}) {
    ActorCriticOptions options = ppo_options();
    options.minibatch = 64;
    options.threads = 2;
    for (const bool resumable : {false, true}) {
      ActorCritic training(world, options, Vector{{1, 1}}, 1'000'000'000, Rng(1), nullptr, resumable);
      EXPECT_EQ(allocations_of(training), 0) << world.features << " " << world.controls << " " << resumable;
    }
  }
}

TEST(Allocation, LearningFromMemoryTakesNothing) {
  const World cart_pole =
      make_world(Config::parse("[environment]\nkind = \"cart-pole\"\n", "p.toml").section("environment"));
  const World navigation = make_world(std::make_shared<const TabularModel>(navigation_model()));
  const OracleCall call{.direction = Vector{{1, 1}}, .rng = Rng(1)};
  for (const World& world : {navigation, cart_pole}) {
    DqnOptions options;
    options.replay.first_steps = 1;
    options.replay.threads = 2;
    DqnTraining training(world, options, call);
    EXPECT_EQ(allocations_of(training), 0) << world.features;
  }
  SacOptions options;
  options.replay.first_steps = 1;
  options.replay.threads = 2;
  const World plane = plane_world();
  SacTraining training(plane, options, call);
  EXPECT_EQ(allocations_of(training), 0);
}

TEST(Allocation, QLearningTakesNothingWhileItActs) {
  const TabularModel model = garnet_model({.states = 30, .horizon = 20}, Rng(1));
  const Sampler sampler(model);
  const QLearningOptions options;
  QTrainingInModel training(model, sampler, options, Vector{{1, 1}}, Rng(1));
  training.run(10'000, [](double) {});  // from here on a policy is followed
  const long before = allocations;
  training.act(10'000);
  EXPECT_EQ(allocations - before, 0);
}

TEST(Allocation, LearningFromDataTakesNothing) {
  const World navigation = make_world(std::make_shared<const TabularModel>(navigation_model()));
  const Dataset data = collect(navigation, {}, {Vector{{1, 1}}}, 5000, Rng(1));
  const RecordedActions recorded(data, ActionCounts(navigation));
  DdqnTraining training(data, recorded, {}, Vector{{1, 1}}, 1000, Rng(2));
  EXPECT_EQ(allocations_of(training), 0);
}

}  // namespace
}  // namespace c2rl

#endif
