#include <gtest/gtest.h>

#include "c2rl/mdp/controls_testing.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/mdp/policy_laws_testing.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

PolicyPtr load_tabular(const Safetensors& content) {
  return TabularPolicy::from_arrays(content.tensors);
}

TEST(PolicyLaws, HoldForTabularPolicies) {
  for (int seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TabularModel model = garnet_model(
        {.states = 2 + static_cast<int>(rng.below(20)), .horizon = 1 + static_cast<int>(rng.below(9))},
        rng.fork("model"));
    const World world = make_world(model);
    std::vector<std::int32_t> actions;
    actions.reserve(static_cast<std::size_t>(model.states));
    for (int s = 0; s < model.states; ++s)
      actions.push_back(model.is_terminal(s) ? 0 : static_cast<int>(rng.below(model.actions(s))));
    expect_policy_laws(world, TabularPolicy::deterministic(actions), load_tabular);
    expect_policy_laws(world, random_policy(model, rng.fork("policy")), load_tabular);
    expect_policy_laws(world, restless_policy(model, rng.fork("policy")), load_tabular);
  }
}

// Row r + 1 of a state is in force from step 2 on.
TEST(PolicyLaws, HoldForRandomizedPoliciesThatChangeOverTime) {
  const TabularModel model = garnet_model({.states = 5, .horizon = 6}, Rng(1));
  PolicyRuns runs{{0}, {}};
  std::vector<std::int32_t> row_begin = {0};
  std::vector<double> probabilities;
  Rng rng(2);
  for (int s = 0; s < model.states; ++s) {
    for (const int first_step : {0, 2}) {
      const double first = rng.uniform();
      for (int a = 0; a < model.actions(s); ++a)
        probabilities.push_back(model.actions(s) == 1 ? 1
                                : a == 0              ? first
                                                      : (1 - first) / (model.actions(s) - 1));
      row_begin.push_back(static_cast<int>(probabilities.size()));
      runs.first_step.push_back(first_step);
    }
    runs.begin.push_back(static_cast<int>(runs.first_step.size()));
  }
  expect_policy_laws(make_world(model), TabularPolicy::randomized(row_begin, probabilities, runs),
                     load_tabular);
}

TEST(PolicyLaws, HoldWhereActionsAreRealNumbers) {
  const auto policy = std::make_shared<NormalPolicy>(Vector{{0.2, -0.1}}, -0.3, 0.5);
  expect_policy_laws(plane_world(), policy, NormalPolicy::load);
}

}  // namespace
}  // namespace c2rl
