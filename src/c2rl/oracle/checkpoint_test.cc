// A call that goes on from any state it has passed through gives the answer of one that was never cut short.

#include <algorithm>
#include <exception>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/controls_testing.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/offline/dataset_testing.h"
#include "c2rl/oracle/actor_critic_oracle.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/dqn.h"
#include "c2rl/oracle/q_learning.h"
#include "c2rl/oracle/running_episodes.h"
#include "c2rl/oracle/sac.h"

namespace c2rl {
namespace {

struct Killed : std::exception {};

using State = std::shared_ptr<const Safetensors>;

/// Takes down every state that it is offered; at the last of so many, the call dies.
struct States {
  OracleKeeper keeper(std::size_t most = 1'000'000) {
    return [this, most](const StateVisit& visit) {
      Safetensors content;
      auto state = StateVisitor::saving(content);
      visit(state);
      all.push_back(std::make_shared<const Safetensors>(std::move(content)));
      if (all.size() == most) throw Killed();
    };
  }
  std::vector<State> all;
};

void expect_same(const OracleAnswer& found, const OracleAnswer& expected) {
  EXPECT_EQ(bytes_of(*found.policy), bytes_of(*expected.policy));
  EXPECT_EQ(found.policy->metadata(), expected.policy->metadata());
  EXPECT_EQ(found.measurement, expected.measurement);
  EXPECT_EQ(found.standard_error, expected.standard_error);
  EXPECT_EQ(found.episodes.totals, expected.episodes.totals);
  EXPECT_EQ(found.computed, expected.computed);
  EXPECT_EQ(found.steps, expected.steps);
}

std::shared_ptr<const TabularModel> garnet(const GarnetOptions& options) {
  return std::make_shared<const TabularModel>(garnet_model(options, Rng(4)));
}

World cart_pole() {
  return make_world(
      Config::parse("[environment]\nkind = 'cart-pole'\nhorizon = 60\n", "p.toml").section("environment"));
}

Dataset recorded() {
  const TabularModel model = garnet_model({.states = 12, .horizon = 15}, Rng(4));
  return sampled_dataset(model, *random_policy(model, Rng(5)), 400, Rng(6));
}

struct Case {
  std::string name;
  std::function<std::shared_ptr<const Oracle>()> make;
};

/// Little training, on many updates; some episodes go on over several of them.
ActorCriticOptions small_a2c() {
  return {.hidden = {8},
          .training_steps = 3000,
          .environments = 7,
          .rollout_steps = 5,
          .checks = 3,
          .evaluation = {.evaluation_episodes = 20}};
}

ActorCriticOptions small_ppo() {
  ActorCriticOptions options = ppo_options();
  options.hidden = {8};
  options.training_steps = 3000;
  options.environments = 7;
  options.rollout_steps = 5;
  options.minibatch = 16;
  options.epochs = 3;
  options.evaluation.evaluation_episodes = 20;
  return options;
}

constexpr ReplayOptions kSmallReplay{
    .training_steps = 1500, .environments = 7, .batch = 16, .first_steps = 200};

DqnOptions small_dqn() {
  DqnOptions options;
  options.hidden = {8};
  options.replay = kSmallReplay;
  options.choice.evaluation.evaluation_episodes = 20;
  return options;
}

SacOptions small_sac() {
  SacOptions options;
  options.hidden = {8};
  options.replay = kSmallReplay;
  options.choice.evaluation.evaluation_episodes = 20;
  return options;
}

std::vector<Case> cases() {
  const auto a2c = [](auto change) {
    ActorCriticOptions options = small_a2c();
    change(options);
    return options;
  };
  const auto ddqn = [](int target_period) {
    const DdqnOptions options{.hidden = {8}, .updates = 120, .batch = 32, .target_period = target_period};
    return std::make_shared<Ddqn>(std::make_shared<const Dataset>(recorded()), options, ActionCounts(3));
  };
  return {
      {"QLearning",
       [] {
         return std::make_shared<QLearning>(garnet({.states = 12, .horizon = 15}),
                                            QLearningOptions{.training_steps = 200'000});
       }},
      {"QLearningByActingAlone",
       [] {
         World world = make_world(garnet({.states = 12, .horizon = 15}));
         world.model = nullptr;
         return std::make_shared<QLearning>(world, QLearningOptions{.training_steps = 200'000});
       }},
      // With few replays a round has several blocks.
      {"QLearningOfFewReplays",
       [] {
         return std::make_shared<QLearning>(garnet({.states = 12}),
                                            QLearningOptions{.training_steps = 200'000, .replays = 3});
       }},
      {"A2cGae",
       [=] { return std::make_shared<ActorCriticOracle>(make_world(garnet({.horizon = 15})), small_a2c()); }},
      {"A2cNStepEndless",
       [=] {
         const GarnetOptions endless{.end_probability = 0, .discount = 0.9};
         return std::make_shared<ActorCriticOracle>(make_world(garnet(endless)),
                                                    a2c([](auto& o) { o.returns = Returns::n_step; }));
       }},
      {"A2cMonteCarlo",
       [=] {
         return std::make_shared<ActorCriticOracle>(make_world(garnet({.horizon = 15})),
                                                    a2c([](auto& o) { o.returns = Returns::monte_carlo; }));
       }},
      {"A2cOfFeaturesDrawing",
       [=] {
         return std::make_shared<ActorCriticOracle>(
             cart_pole(), a2c([](auto& o) { o.execution = Execution::stochastic; }));
       }},
      {"PpoOfFeatures", [=] { return std::make_shared<ActorCriticOracle>(cart_pole(), small_ppo()); }},
      {"PpoOfControls", [=] { return std::make_shared<ActorCriticOracle>(plane_world(), small_ppo()); }},
      {"Dqn", [] { return std::make_shared<Dqn>(make_world(garnet({.horizon = 15})), small_dqn()); }},
      {"DqnOfFeatures", [] { return std::make_shared<Dqn>(cart_pole(), small_dqn()); }},
      {"DqnThatForgets",
       [] {
         DqnOptions options = small_dqn();
         options.replay.memory = 300;
         return std::make_shared<Dqn>(make_world(garnet({.horizon = 15})), options);
       }},
      {"DqnConditioned",
       [] {
         DqnOptions options = small_dqn();
         options.replay.conditioned = true;
         return std::make_shared<Dqn>(make_world(garnet({.horizon = 15})), options);
       }},
      {"Sac", [] { return std::make_shared<Sac>(plane_world(), small_sac()); }},
      {"SacConditioned",
       [] {
         SacOptions options = small_sac();
         options.replay.conditioned = true;
         return std::make_shared<Sac>(plane_world(), options);
       }},
      {"SacHolding",
       [] {
         SacOptions options = small_sac();
         options.hold = 4;
         options.replay.first_steps = options.replay.training_steps / 2;
         return std::make_shared<Sac>(plane_world(), options);
       }},
      {"Ddqn", [=] { return ddqn(7); }},
      {"DdqnOfOneTarget", [=] { return ddqn(1'000'000); }},
  };
}

class CheckpointOf : public testing::TestWithParam<Case> {
 protected:
  OracleCall call() const { return {.direction = Vector{{0.6, -0.8}}, .rng = Rng(9), .effort = 0.9}; }
  OracleAnswer run(OracleKeeper keeper, State saved = nullptr) const {
    OracleCall asked = call();
    asked.keeper = std::move(keeper);
    asked.saved = std::move(saved);
    return oracle_->minimize(asked);
  }

  std::shared_ptr<const Oracle> oracle_ = GetParam().make();
};

TEST_P(CheckpointOf, EveryStateLeadsToTheSameAnswer) {
  const OracleAnswer expected = run({});
  States undisturbed;
  expect_same(run(undisturbed.keeper()), expected);
  const std::size_t places = undisturbed.all.size();
  ASSERT_GE(places, 12u);
  // All of them where it is quick; the first and the last in any case.
  const std::size_t stride = std::max<std::size_t>(1, places / 24);
  for (std::size_t place = 0; place < places;
       place += place + stride < places ? stride : places - 1 - place) {
    SCOPED_TRACE(testing::Message() << "place " << place << " of " << places);
    States killed;
    EXPECT_THROW(run(killed.keeper(place + 1)), Killed);
    expect_same(run({}, killed.all.back()), expected);
    if (place + 1 == places) break;
  }
}

// Killed again and again, a few places further each time.
TEST_P(CheckpointOf, ACallGetsToItsEndInPieces) {
  constexpr std::size_t kPiece = 9;
  const OracleAnswer expected = run({});
  State last;
  for (int pieces = 1;; ++pieces) {
    ASSERT_LT(pieces, 10'000);
    States states;
    try {
      expect_same(run(states.keeper(kPiece), last), expected);
      EXPECT_GT(pieces, 1);
      return;
    } catch (const Killed&) {
      last = states.all.back();
    }
  }
}

TEST_P(CheckpointOf, AStateThatIsNotItsOwnIsRefused) {
  States states;
  EXPECT_THROW(run(states.keeper(3)), Killed);
  const Safetensors good = *states.all.back();
  EXPECT_THROW(run({}, std::make_shared<const Safetensors>()), UnfitState);
  for (std::size_t i = 0; i < good.tensors.size(); ++i) {
    if (good.tensors[i].name.find('/') != std::string::npos) continue;  // part of a policy
    SCOPED_TRACE(good.tensors[i].name);
    Safetensors longer = good, missing = good;
    longer.tensors[i].bytes.push_back(std::byte{0});
    EXPECT_THROW(run({}, std::make_shared<const Safetensors>(longer)), UnfitState);
    missing.tensors.erase(missing.tensors.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THROW(run({}, std::make_shared<const Safetensors>(missing)), UnfitState);
  }
}

INSTANTIATE_TEST_SUITE_P(Oracles, CheckpointOf, testing::ValuesIn(cases()),
                         [](const auto& example) { return example.param.name; });

// A policy to start from is where a call begins, and no longer matters to one that goes on.
TEST(Checkpoint, OfAWarmStartIsTheSame) {
  ActorCriticOptions options = small_a2c();
  options.warm_start = true;
  const ActorCriticOracle oracle(make_world(garnet({.horizon = 15})), options);
  const OracleAnswer first = oracle.minimize(Vector{{1, 0}}, Rng(1));
  OracleCall call{.direction = Vector{{0, 1}}, .rng = Rng(2), .start = first.policy};
  const OracleAnswer expected = oracle.minimize(call);
  States states;
  call.keeper = states.keeper(20);
  EXPECT_THROW(oracle.minimize(call), Killed);
  call.keeper = {};
  call.saved = states.all.back();
  expect_same(oracle.minimize(call), expected);
}

// Another attempt takes the steps that are missing, and goes on with what the last one had learnt.
TEST(Checkpoint, OfAnotherAttemptIsTheSame) {
  for (const ActorCriticOptions& options : {small_a2c(), small_ppo()}) {
    const World world = options.clipped ? plane_world() : make_world(garnet({.horizon = 15}));
    const ActorCriticOracle oracle(world, options);
    OracleCall call{.direction = Vector{{1, 0}}, .rng = Rng(1)};
    const OracleAnswer first = oracle.minimize(call);
    ASSERT_NE(first.left_off, nullptr);
    call = {.direction = call.direction, .rng = Rng(2), .effort = 2};
    const OracleAnswer anew = oracle.minimize(call);
    call.left_off = first.left_off;
    const OracleAnswer expected = oracle.minimize(call);
    EXPECT_NEAR(double(expected.steps.training), double(anew.steps.training - first.steps.training), 100);
    EXPECT_NE(bytes_of(*expected.policy), bytes_of(*anew.policy));
    States states;
    call.keeper = states.keeper(20);
    EXPECT_THROW(oracle.minimize(call), Killed);
    call.keeper = {};
    call.saved = states.all.back();
    expect_same(oracle.minimize(call), expected);
    call.saved = nullptr;
    call.left_off = std::make_shared<const Safetensors>();
    EXPECT_THROW(oracle.minimize(call), InputError);
  }
}

// dqn's begins with the steps of the last one, too.
TEST(Checkpoint, OfAnotherAttemptWithAMemoryIsTheSame) {
  for (const bool conditioned : {false, true}) {
    for (const World& world : {make_world(garnet({.horizon = 15})), cart_pole()}) {
      DqnOptions options = small_dqn();
      options.replay.conditioned = conditioned;
      const Dqn oracle(world, options);
      OracleCall call{.direction = Vector{{1, 0}}, .rng = Rng(1)};
      const OracleAnswer first = oracle.minimize(call);
      ASSERT_NE(first.left_off, nullptr);
      call = {.direction = call.direction, .rng = Rng(2), .effort = 2, .memory = {first.memory}};
      const OracleAnswer anew = oracle.minimize(call);
      call.left_off = first.left_off;
      const OracleAnswer expected = oracle.minimize(call);
      EXPECT_NEAR(double(expected.steps.training), double(anew.steps.training - first.steps.training), 100);
      EXPECT_NE(bytes_of(*expected.policy), bytes_of(*anew.policy));
      States states;
      call.keeper = states.keeper(20);
      EXPECT_THROW(oracle.minimize(call), Killed);
      call.keeper = {};
      call.saved = states.all.back();
      const OracleAnswer resumed = oracle.minimize(call);
      expect_same(resumed, expected);
      EXPECT_EQ(to_bytes(*resumed.left_off), to_bytes(*expected.left_off));
      call.saved = nullptr;
      call.left_off = std::make_shared<const Safetensors>();
      EXPECT_THROW(oracle.minimize(call), InputError);
    }
  }
}

// So is what earlier calls have left.
TEST(Checkpoint, OfACallWithAMemoryIsTheSame) {
  for (const bool forgets : {false, true}) {
    DqnOptions options = small_dqn();
    if (forgets) options.replay.memory = 1000;
    const Dqn oracle(make_world(garnet({.horizon = 15})), options);
    const OracleAnswer first = oracle.minimize(Vector{{1, 0}}, Rng(1));
    OracleCall call{.direction = Vector{{0, 1}}, .rng = Rng(2), .memory = {first.memory}};
    const OracleAnswer expected = oracle.minimize(call);
    for (const std::size_t place : {1u, 20u, 150u}) {
      States states;
      call.keeper = states.keeper(place);
      call.saved = nullptr;
      EXPECT_THROW(oracle.minimize(call), Killed);
      call.keeper = {};
      call.saved = states.all.back();
      const OracleAnswer resumed = oracle.minimize(call);
      expect_same(resumed, expected);
      EXPECT_EQ(to_bytes(*resumed.memory), to_bytes(*expected.memory));
    }
  }
}

// Observations have no tables between updates.
TEST(Checkpoint, OfLearningFromRecordedFeatures) {
  const World world = cart_pole();
  const Dataset data = collect(world, small_a2c(), {Vector{{1, 1}}}, 500, Rng(1));
  const RecordedActions actions(data, ActionCounts(world));
  const DdqnOptions options{.hidden = {8}, .batch = 16, .target_period = 7};
  const auto make = [&] { return DdqnTraining(data, actions, options, Vector{{1, 1}}, 60, Rng(2)); };
  DdqnTraining undisturbed = make(), interrupted = make();
  for (int i = 0; i < 31; ++i) interrupted.update();
  Safetensors content;
  auto saving = StateVisitor::saving(content), restoring = StateVisitor::restoring(content);
  interrupted.visit(saving);
  DdqnTraining resumed = make();
  resumed.visit(restoring);
  while (!undisturbed.done()) undisturbed.update();
  while (!resumed.done()) resumed.update();
  EXPECT_EQ(bytes_of(*resumed.policy()), bytes_of(*undisturbed.policy()));
}

// Episodes of different age are brought to where they were.
TEST(Checkpoint, RunningEpisodesAreReplayed) {
  const World world = cart_pole();
  const int slots = 5;
  const Rng rng(3);
  const auto environment = world.environment(slots), again = world.environment(slots);
  RunningEpisodes running(slots, 100);
  Rng draws(8);
  std::vector<int> actions(slots);
  for (int step = 0, episode = 0; step < 200; ++step) {
    for (int slot = 0; slot < slots; ++slot) {
      if (!environment->ended(slot)) continue;
      running.begin(slot, episode);
      environment->reset(slot, rng.fork("episode", episode++));
    }
    for (int slot = 0; slot < slots; ++slot) {
      actions[slot] = static_cast<int>(draws.below(2));
      running.add(slot, actions[slot]);
    }
    environment->step(actions);
  }
  running.replay(*again, rng);
  EXPECT_NE(environment->steps()[0], environment->steps()[1]);
  for (int slot = 0; slot < slots; ++slot) {
    EXPECT_EQ(again->steps()[slot], environment->steps()[slot]);
    EXPECT_EQ(again->ended(slot), environment->ended(slot));
  }
  EXPECT_EQ(again->features(), environment->features());
}

}  // namespace
}  // namespace c2rl
