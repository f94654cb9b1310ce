#include "c2rl/oracle/dqn.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/controls_testing.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/oracle/dynamic_programming.h"

namespace c2rl {
namespace {

World cart_pole() {
  return make_world(Config::parse("[environment]\nkind = \"cart-pole\"\n", "p.toml").section("environment"));
}

DqnOptions few_steps(std::int64_t steps, const World& world) {
  DqnOptions options = dqn_options(world);
  options.replay.training_steps = steps;
  return options;
}

TEST(Dqn, FindsTheNavigationOptima) {
  const auto model = std::make_shared<const TabularModel>(navigation_model());
  const DynamicProgramming exact(model);
  const Dqn oracle(make_world(model));
  for (const Vector& direction : {Vector{{1, 0}}, Vector{{1, 1}}, Vector{{0.1, 1}}}) {
    const double least = direction.dot(exact.minimize(direction, Rng(0)).measurement);
    EXPECT_NEAR(direction.dot(oracle.minimize(direction, Rng(1)).measurement), least, 1e-9)
        << direction.transpose();
  }
}

TEST(Dqn, BalancesThePoleWithFewSteps) {
  const Dqn oracle(cart_pole(), few_steps(20'000, cart_pole()));
  constexpr int kSeeds = 3;
  double mean = 0;
  for (int seed = 0; seed < kSeeds; ++seed)
    mean += oracle.minimize(Vector{{-1, 0}}, Rng(seed)).measurement[0] / kSeeds;
  EXPECT_GE(mean, 185);  // of 200; at random it is 22
}

// What was seen for one direction serves the next: it is answered with no step, or hardly any.
TEST(Dqn, AnswersTheNextDirectionFromMemory) {
  const auto model = std::make_shared<const TabularModel>(navigation_model());
  const Dqn oracle(make_world(model));
  const OracleAnswer first = oracle.minimize(Vector{{1, 0}}, Rng(1));
  ASSERT_NE(first.memory, nullptr);
  OracleCall next{.direction = Vector{{0.1, 1}}, .rng = Rng(2)};
  next.enough = 1.9;  // of (12, 0) it is 1.2, of all other ways 2 or more
  const OracleAnswer from_nothing = oracle.minimize(next);
  next.memory = {first.memory};
  const OracleAnswer remembered = oracle.minimize(next);
  EXPECT_EQ(remembered.measurement, (Vector{{12, 0}}));
  EXPECT_LT(remembered.steps.training, from_nothing.steps.training / 4);
}

// The second direction takes no step but those that try the network, which is the same.
TEST(Dqn, OneNetworkAnswersAllDirections) {
  for (const World& world :
       {make_world(std::make_shared<const TabularModel>(navigation_model())), cart_pole()}) {
    DqnOptions options = few_steps(2000, world);
    options.replay.conditioned = true;
    options.choice.checks = 1;  // the answer is the network as it is left
    const Dqn oracle(world, options);
    const OracleAnswer first = oracle.minimize(Vector{{1, 1}}, Rng(1));
    OracleCall next{.direction = Vector{{0.1, 1}}, .rng = Rng(2), .memory = {first.memory}};
    next.enough = 1e9;
    const OracleAnswer second = oracle.minimize(next);
    EXPECT_EQ(second.steps.training, 0);
    const std::vector<Tensor> one = first.policy->arrays(), two = second.policy->arrays();
    const std::vector<std::string> shared = second.policy->shared();
    ASSERT_EQ(one.size(), two.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      const bool in_common = std::ranges::find(shared, one[i].name) != shared.end();
      EXPECT_EQ(one[i].bytes == two[i].bytes, in_common) << one[i].name;
    }
    // What is not good enough is trained on, and is another network.
    next.enough = -1e9;
    const OracleAnswer trained = oracle.minimize(next);
    EXPECT_GT(trained.steps.training, 0);
    EXPECT_NE(trained.policy->arrays()[0].bytes, one[0].bytes);
    options.replay.remember = false;
    EXPECT_THROW(Dqn(world, options), InputError);
  }
}

// One network has the values for two prices, between which the best action differs (as in LearnsTheValueOfEachOutcome).
TEST(DeepQ, OneNetworkKnowsTheValuesOfTwoDirections) {
  WorldShape shape;
  shape.measurements = {"a", "b"};
  shape.states = 1;
  shape.actions = 2;
  Transitions transitions(shape, 2, 2);
  for (int i = 0; i < 2; ++i) {
    transitions.add();
    transitions.state[i] = transitions.next_state[i] = 0;
    transitions.action[i] = i;
    transitions.outcome.col(i) = i == 0 ? Eigen::Vector2f(1, 0) : Eigen::Vector2f(0, 3);
    transitions.terminated[i] = i == 1;
  }
  const RecordedActions recorded(shape, ActionCounts(2));
  const DeepQSettings settings{
      .hidden = {16}, .batch = 16, .discount = 0.5, .normalized = true, .conditioned = true};
  DeepQ learner(shape, transitions, recorded, settings, Rng(1));
  const auto turn_to = [&](int j) {
    learner.turn_to(-Eigen::Vector2f::Unit(j));
    learner.set_prices(Eigen::Vector2f::Unit(j));
  };
  for (int i = 0; i < 8000; ++i) {
    turn_to(i % 2);
    learner.update(i < 6000 ? 3e-3 : 3e-4);
  }
  // Staying is worth (2, 0) for the first, where it is done for ever; (1, 1.5) for the second. Leaving is (0, 3).
  const float better[] = {2, 1.5f - 3};
  for (int j = 0; j < 2; ++j) {
    turn_to(j);
    Eigen::MatrixXf scores(2, 1);
    learner.score(std::vector<int>{0}, scores);
    EXPECT_NEAR(scores(0, 0) - scores(1, 0), better[j], 0.05) << j;
  }
}

TEST(Dqn, TheSameMemoryGivesTheSameAnswer) {
  const auto model = std::make_shared<const TabularModel>(garnet_model({.horizon = 15}, Rng(4)));
  const Dqn oracle(make_world(model), few_steps(3000, make_world(model)));
  const OracleAnswer first = oracle.minimize(Vector{{1, 0}}, Rng(1));
  OracleCall next{.direction = Vector{{0, 1}}, .rng = Rng(2), .memory = {first.memory}};
  const OracleAnswer a = oracle.minimize(next), b = oracle.minimize(next);
  EXPECT_EQ(bytes_of(*a.policy), bytes_of(*b.policy));
  EXPECT_EQ(to_bytes(*a.memory), to_bytes(*b.memory));
  next.memory.push_back(a.memory);
  EXPECT_NE(bytes_of(*oracle.minimize(next).policy), bytes_of(*a.policy));
}

// Of a memory with no room, the latest steps are left.
TEST(Dqn, ForgetsTheOldest) {
  const auto model = std::make_shared<const TabularModel>(navigation_model());
  const World world = make_world(model);
  DqnOptions options = few_steps(3000, world);
  options.replay.memory = 500;
  OracleCall call{.direction = Vector{{1, 0}}, .rng = Rng(1)};
  DqnTraining training(world, options, call);
  while (!training.done()) training.update();
  EXPECT_EQ(training.transitions().size(), 500);
  EXPECT_GE(training.transitions().added(), 3000);
}

TEST(Dqn, RefusesAMemoryThatIsNotItsOwn) {
  const World world = make_world(std::make_shared<const TabularModel>(navigation_model()));
  const Dqn oracle(world, few_steps(500, world));
  OracleCall call{.direction = Vector{{1, 0}}, .rng = Rng(1)};
  call.memory = {oracle.minimize(call).memory};
  EXPECT_NO_THROW(oracle.minimize(call));
  EXPECT_THROW(Dqn(cart_pole(), few_steps(500, cart_pole())).minimize(call), InputError);
  Safetensors broken = *call.memory[0];
  for (Tensor& tensor : broken.tensors) {
    if (tensor.name == "state") tensor.bytes[3] = std::byte{0x7f};
  }
  call.memory = {std::make_shared<const Safetensors>(broken)};
  EXPECT_THROW(oracle.minimize(call), InputError);
  EXPECT_THROW(Dqn(plane_world(), DqnOptions{}), InputError);
}

/// State 0 has two actions: the first measures (1, 0) and stays, or by chance not, the second measures (0, 3) and ends.
/// With a discount of 0.5 the values of each measurement follow by hand, whatever the direction weighs them with.
TEST(DeepQ, LearnsTheValueOfEachOutcome) {
  WorldShape shape;
  shape.measurements = {"a", "b"};
  shape.states = 1;
  shape.actions = 2;
  Transitions transitions(shape, 2, 2);
  for (int i = 0; i < 2; ++i) {
    transitions.add();
    transitions.state[i] = transitions.next_state[i] = 0;
    transitions.action[i] = i;
    transitions.outcome.col(i) = i == 0 ? Eigen::Vector2f(1, 0) : Eigen::Vector2f(0, 3);
    transitions.terminated[i] = i == 1;
  }
  const RecordedActions recorded(shape, ActionCounts(2));
  const DeepQSettings settings{.hidden = {16}, .batch = 16, .discount = 0.5, .normalized = true};
  struct Known {
    Eigen::Vector2f prices, stay;  // stay: the values of the first action
  };
  // Staying for ever comes to (2, 0), which is better for (1, 0); leaving in the next step to (1, 1.5).
  for (const Known& known : {Known{{1, 0}, {2, 0}}, Known{{0, 1}, {1, 1.5}}, Known{{1, 1}, {1, 1.5}}}) {
    DeepQ learner(shape, transitions, recorded, settings, Rng(1));
    learner.set_prices(known.prices);
    for (int i = 0; i < 3000; ++i) learner.update(3e-3);
    for (int j = 0; j < 2; ++j) {
      learner.set_prices(Eigen::Vector2f::Unit(j));
      Eigen::MatrixXf scores(2, 1);
      learner.score(std::vector<int>{0}, scores);
      const float leave = j == 0 ? 0 : 3;
      EXPECT_NEAR(scores(0, 0) - scores(1, 0), known.stay[j] - leave, 0.02) << known.prices << " of " << j;
    }
  }
}

}  // namespace
}  // namespace c2rl
