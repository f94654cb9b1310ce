#include "c2rl/oracle/q_learning.h"

#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/q_training.h"

namespace c2rl {
namespace {

TEST(QLearning, FindsTheNavigationOptima) {
  const auto model = std::make_shared<TabularModel>(navigation_model());
  DynamicProgramming exact(model);
  QLearning oracle(model);
  for (const Vector& direction :
       {Vector{{1, 0}}, Vector{{1, 1}}, Vector{{1, 3}}, Vector{{0.1, 1}}, Vector{{1, 2.5}}}) {
    const double least = direction.dot(exact.minimize(direction, Rng(0)).measurement);
    int found = 0;
    for (int seed = 0; seed < 100; ++seed) {
      const OracleAnswer answer = oracle.minimize(direction, Rng(seed));
      if (direction.dot(answer.measurement) <= least + 1e-9) ++found;
      EXPECT_EQ(answer.standard_error, Vector::Zero(2));  // nothing is random in this environment
      EXPECT_FALSE(answer.exact);
    }
    EXPECT_GE(found, 99) << direction.transpose();
  }
}

TEST(QLearning, AnswersDependOnArgumentsAlone) {
  const auto model = std::make_shared<TabularModel>(garnet_model({.states = 20}, Rng(1)));
  QLearning oracle(model);
  const OracleAnswer a = oracle.minimize(Vector{{1, 1}}, Rng(3));
  oracle.minimize(Vector{{1, -1}}, Rng(4));
  const OracleAnswer b = oracle.minimize(Vector{{5, 5}}, Rng(3));
  EXPECT_EQ(a.measurement, b.measurement);
  EXPECT_EQ(a.policy->arrays()[0].bytes, b.policy->arrays()[0].bytes);
  EXPECT_EQ(a.steps, b.steps);
}

TEST(QLearning, ApproachesTheOptimumOfRandomModels) {
  int good = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const auto model =
        std::make_shared<TabularModel>(garnet_model({.states = 10, .end_probability = 0.2}, Rng(seed)));
    const Vector direction{{0.6, 0.8}};
    DynamicProgramming exact(model);
    const double least = direction.dot(exact.minimize(direction, Rng(0)).measurement);
    const double most = direction.dot(exact.minimize(-direction, Rng(0)).measurement);
    QLearning oracle(model, {.evaluation = {.evaluation = PolicyEvaluation::exact}});
    const OracleAnswer answer = oracle.minimize(direction, Rng(seed), 20);
    EXPECT_EQ(answer.steps.training, 400'000);
    EXPECT_EQ(answer.measurement, evaluate(*model, *answer.policy).measurement);
    if (direction.dot(answer.measurement) <= least + 0.005 * (most - least)) ++good;
  }
  EXPECT_GE(good, 19);
}

// Directions of every sign: also those along which the best policy waits for the end of the episode.
TEST(QLearning, ComesCloseToTheBestWhereMuchIsLeftToChance) {
  for (const char* text : {"kind = 'mars-rover'\nslip = 0.2\n", "kind = 'garnet'\nstates = 30\n",
                           "kind = 'deep-sea-treasure'\nmap = 'concave'\n"}) {
    const Config file = Config::parse(std::string("[environment]\n") + text + "[oracle]\n", "problem.toml");
    const World world = make_world(file.section("environment"));
    const auto oracle = make_oracle(oracle_kinds().find("q-learning"), file.section("oracle"), world);
    const DynamicProgramming exact(world.model);
    int close = 0;
    constexpr int kDirections = 12;
    for (int i = 0; i < kDirections; ++i) {
      const Vector direction = Rng(i).normal_vector(2);
      const PolicyPtr policy = oracle->minimize(direction, Rng(i)).policy;
      const double best = direction.dot(exact.minimize(direction, Rng(0)).measurement);
      const double loss = direction.dot(evaluate(*world.model, *policy).measurement) - best;
      if (loss <= 0.01 * std::abs(best)) ++close;
    }
    EXPECT_GE(close, kDirections - 1) << text;
  }
}

// A quarter of the steps is enough for a world that turns out to leave nothing to chance.
TEST(QLearning, SavesStepsWhereNothingIsRandom) {
  const auto certain = std::make_shared<TabularModel>(navigation_model());
  const auto random = std::make_shared<TabularModel>(garnet_model({}, Rng(1)));
  const QLearningOptions options{.training_steps = 40'000,
                                 .evaluation = {.evaluation = PolicyEvaluation::exact}};
  EXPECT_EQ(QLearning(certain, options).minimize(Vector{{1, 1}}, Rng(1)).steps.training, 10'000);
  EXPECT_EQ(QLearning(random, options).minimize(Vector{{1, 1}}, Rng(1)).steps.training, 40'000);
}

// However deep the water: every way to every treasure is found, though the first costs one step.
TEST(QLearning, TriesEverything) {
  const Config file = Config::parse("[environment]\nkind = 'deep-sea-treasure'\n", "problem.toml");
  const World world = make_world(file.section("environment"));
  const std::vector<bool> reachable = reachable_states(*world.model);
  const QLearningOptions options;
  const Sampler sampler(*world.model);
  QTrainingInModel training(*world.model, sampler, options, Vector{{0, 1}}, Rng(1));
  training.run(4 * 20'000, [](double) {});
  for (int s = 0; s < world.model->states; ++s) {
    for (int k = world.model->choice_begin[s]; k < world.model->choice_begin[s + 1]; ++k)
      EXPECT_EQ(training.experience().visits(k) > 0, reachable[s]) << s;
  }
}

/// A world that is known by acting in it only.
World unknown(std::shared_ptr<const TabularModel> model) {
  World world = make_world(std::move(model));
  world.model = nullptr;
  world.deterministic = false;
  return world;
}

TEST(QLearning, ComesCloseToTheBestByActingAlone) {
  const auto treasure =
      make_world(Config::parse("[environment]\nkind = 'deep-sea-treasure'\nmap = 'concave'\n", "p.toml")
                     .section("environment"));
  for (const auto& model : {std::make_shared<const TabularModel>(navigation_model()), treasure.model,
                            std::make_shared<const TabularModel>(garnet_model({.states = 20}, Rng(1)))}) {
    const DynamicProgramming exact(model);
    const QLearning oracle(unknown(model), {.training_steps = 50'000});
    int close = 0;
    constexpr int kDirections = 12;
    for (int i = 0; i < kDirections; ++i) {
      const Vector direction = Rng(i).normal_vector(2).normalized();
      const double best = direction.dot(exact.minimize(direction, Rng(0)).measurement);
      const PolicyPtr policy = oracle.minimize(direction, Rng(i)).policy;
      if (direction.dot(evaluate(*model, *policy).measurement) <= best + 0.01 * std::abs(best)) ++close;
    }
    EXPECT_GE(close, kDirections - 1) << model->states;
  }
}

// What was seen for one direction serves the next: where nothing is random and all was tried, no step is taken.
TEST(QLearning, RemembersWhatIsNoModel) {
  const auto model = std::make_shared<const TabularModel>(navigation_model());
  const QLearning oracle(unknown(model), {.training_steps = 20'000});
  const OracleAnswer first = oracle.minimize(Vector{{1, 0}}, Rng(1));
  EXPECT_EQ(first.measurement, (Vector{{8, 4}}));
  EXPECT_GE(first.steps.training, 5000);
  ASSERT_NE(first.memory, nullptr);
  OracleCall next{.direction = Vector{{0.1, 1}}, .rng = Rng(2), .memory = {first.memory, nullptr}};
  const OracleAnswer second = oracle.minimize(next);
  EXPECT_EQ(second.measurement, (Vector{{12, 0}}));
  EXPECT_EQ(second.steps.training, 0);
  next.effort = 4;  // asked again: look again
  EXPECT_GT(oracle.minimize(next).steps.training, 10'000);
  // A memory of another world is refused.
  const QLearning other(unknown(std::make_shared<const TabularModel>(garnet_model({}, Rng(1)))));
  EXPECT_THROW(other.minimize(next), InputError);
}

TEST(QLearning, SampledEvaluationIsWithinItsError) {
  for (int seed = 0; seed < 20; ++seed) {
    const auto model = std::make_shared<TabularModel>(garnet_model({.states = 10}, Rng(seed)));
    const OracleAnswer answer =
        QLearning(model, {.evaluation = {.evaluation_episodes = 1000}}).minimize(Vector{{1, 0}}, Rng(seed));
    const Vector off = answer.measurement - evaluate(*model, *answer.policy).measurement;
    for (int i = 0; i < 2; ++i) EXPECT_LE(std::abs(off[i]), 5 * answer.standard_error[i]);
    EXPECT_GE(answer.steps.evaluation, 1000);
  }
}

TEST(QLearning, NamesTheOptionThatIsWrong) {
  const auto model = std::make_shared<TabularModel>(navigation_model());
  try {
    const QLearning refused(model, {.epsilon = 1.5});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "epsilon: found 1.5, expected a number from 0 to 1");
  }
  EXPECT_THROW(QLearning(model, {.training_steps = 0}), InputError);
  EXPECT_THROW(QLearning(model, {.evaluation = {.evaluation_episodes = 1}}), InputError);
  EXPECT_EQ(policy_evaluation_names().parse("exact"), PolicyEvaluation::exact);
  EXPECT_EQ(policy_evaluation_names().of(PolicyEvaluation::monte_carlo), "monte-carlo");
  EXPECT_THROW(policy_evaluation_names().parse("montecarlo"), InputError);
}

}  // namespace
}  // namespace c2rl
