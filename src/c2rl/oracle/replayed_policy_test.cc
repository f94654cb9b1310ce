#include "c2rl/oracle/replayed_policy.h"

#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/oracle/dynamic_programming.h"

namespace c2rl {
namespace {

/// As if everything had been seen as often as its probability says, in so many visits of each choice.
Experience expected(const TabularModel& model, const Vector& direction, int visits) {
  Experience all(model, direction);
  for (int s = 0; s < model.states; ++s) {
    for (int i = 0; i < std::lround(visits * model.start[s]); ++i) all.begin(s);
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
        for (int i = 0; i < std::lround(visits * model.probability[e]); ++i) all.add(s, k, e);
      }
    }
  }
  return all;
}

// With a horizon and without, stationary or not: what planning finds in the model.
TEST(ReplayedPolicy, IsTheBestOfAWorldSeenAsItIs) {
  constexpr int kVisits = 20'000;
  int time_dependent = 0;
  for (int seed = 0; seed < 30; ++seed) {
    const int horizon = seed % 3 == 0 ? 0 : 5 * seed;
    const TabularModel model = garnet_model(
        {.states = 6, .end_probability = seed % 2 ? 0.1 : 0.01, .discount = 0.98, .horizon = horizon},
        Rng(seed));
    const Vector direction = Rng(seed).normal_vector(2).normalized();
    const int limit = horizon > 0 ? horizon : 2000;
    const auto policy = replayed_policy(expected(model, direction, kVisits), limit, 0, [] {});
    const double found = direction.dot(evaluate(model, *policy).measurement);
    const DynamicProgramming exact(std::make_shared<TabularModel>(model));
    const double best = direction.dot(exact.minimize(direction, Rng(0)).measurement);
    EXPECT_LE(found, best + 1e-3 * std::max(1.0, std::abs(best))) << seed;
    if (!policy->is_stationary()) ++time_dependent;
    EXPECT_TRUE(horizon > 0 || policy->is_stationary());
  }
  EXPECT_GT(time_dependent, 0);
}

/// From state 0 one action waits, the other ends; either measures as told.
TabularModel waiting(double wait, double end) {
  TabularModel model;
  model.measurements = {"cost"};
  model.horizon = 10;
  add_state(model, {{{0, 1.0, Vector{{wait}}}}, {{1, 1.0, Vector{{end}}}}});
  add_state(model, {});
  model.start = Vector{{1.0, 0.0}};
  return model;
}

TEST(ReplayedPolicy, WaitsUntilTheLastStepWhereThatPays) {
  const TabularModel model = waiting(-1, -5);
  const auto policy = replayed_policy(expected(model, Vector{{1}}, 3), 10, 0, [] {});
  for (int step = 0; step < 9; ++step) EXPECT_EQ(policy->action(0, step), 0) << step;
  EXPECT_EQ(policy->action(0, 9), 1);
  EXPECT_EQ(evaluate(model, *policy).measurement, Vector{{-14}});
}

TEST(ReplayedPolicy, OfEqualsItTakesTheShortest) {
  const TabularModel model = waiting(0, 3);
  EXPECT_EQ(replayed_policy(expected(model, Vector{{0}}, 3), 10, 1e-4, [] {})->action(0, 0), 1);
}

// What was tried once and cut there is no way out of what is known to be bad.
TEST(ReplayedPolicy, ExpectsNothingGoodWhereNothingWasTried) {
  TabularModel model;
  model.measurements = {"cost"};
  model.horizon = 5;
  add_state(model, {{{1, 1.0, Vector{{0}}}}, {{2, 1.0, Vector{{2}}}}});
  add_state(model, {{{2, 1.0, Vector{{0}}}}});
  add_state(model, {});
  model.start = Vector{{1, 0, 0}};
  Experience experience(model, Vector{{1}});
  experience.begin(0);
  experience.add(0, 0, 0);
  experience.add(0, 1, 1);
  EXPECT_EQ(replayed_policy(experience, 5, 0, [] {})->action(0, 0), 1);
  experience.add(1, 2, 2);
  EXPECT_EQ(replayed_policy(experience, 5, 0, [] {})->action(0, 0), 0);
}

}  // namespace
}  // namespace c2rl
