#include "c2rl/mdp/flatten.h"

#include <gtest/gtest.h>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"

namespace c2rl {
namespace {

TEST(Flatten, MeasuresTheSameAsTheMixture) {
  for (int seed = 0; seed < 60; ++seed) {
    const Rng rng(seed);
    GarnetOptions options{.states = 12, .dim = 3};
    if (seed % 3 == 0) options.horizon = 15;
    options.discount = seed % 3 == 2 ? 1.0 : 0.9;
    options.end_probability = seed % 3 == 2 ? 0.1 : 0.0;
    const TabularModel model = garnet_model(options, rng.fork("model"));
    validate(model);
    std::vector<PolicyPtr> policies;
    policies.reserve(4);
    for (int i = 0; i < 4; ++i) {
      policies.push_back(options.horizon > 0 && i % 2 ? restless_policy(model, rng.fork("policy", i))
                                                      : random_policy(model, rng.fork("policy", i)));
    }
    const MixedPolicy mixed(Vector{{0.1, 0.2, 0.0, 0.7}}, policies);
    const PolicyPtr flat = flatten(model, mixed);
    const Vector expected = evaluate(model, mixed).measurement;
    EXPECT_LE((evaluate(model, *flat).measurement - expected).norm(), 1e-12 * (1 + expected.norm())) << seed;
    EXPECT_EQ(flat->is_stationary(), options.horizon == 0);
  }
}

TEST(Flatten, MixedPathsOfTheNavigationTask) {
  // Half along the straight way, half along the top: (8, 4) and (12, 0).
  const TabularModel model = navigation_model();
  std::vector<std::int32_t> straight(model.states, 1), around(model.states, 1);
  for (const int s : {27, 18, 9}) around[s] = 0;
  for (const int s : {8, 17, 26}) around[s] = 2;
  const MixedPolicy mixed(Vector{{0.5, 0.5}},
                          {TabularPolicy::deterministic(straight), TabularPolicy::deterministic(around)});
  EXPECT_EQ(evaluate(model, mixed).measurement, (Vector{{11, 2}}));
  const PolicyPtr flat = flatten(model, mixed);
  EXPECT_LE((evaluate(model, *flat).measurement - Vector{{11, 2}}).norm(), 1e-12);
  Matrix row(4, 1);
  flat->action_probabilities(std::vector<int>{kNavigationStart}, 0, row);
  EXPECT_EQ(row, (Vector{{0.5, 0.5, 0, 0}}));
  EXPECT_TRUE(flat->is_stationary());  // the two paths meet nowhere but at their ends
}

TEST(Flatten, OneMemberStaysItself) {
  const TabularModel model = garnet_model({.states = 10, .horizon = 8}, Rng(1));
  const PolicyPtr policy = random_policy(model, Rng(2));
  const PolicyPtr flat = flatten(model, MixedPolicy(Vector{{1.0}}, {policy}));
  for (int s = 0; s < model.states; ++s) {
    if (model.is_terminal(s)) continue;
    Matrix row(3, 1), expected(3, 1);
    flat->action_probabilities(std::vector<int>{s}, 0, row);
    policy->action_probabilities(std::vector<int>{s}, 0, expected);
    EXPECT_LE((row - expected).norm(), 1e-15);
  }
}

}  // namespace
}  // namespace c2rl
