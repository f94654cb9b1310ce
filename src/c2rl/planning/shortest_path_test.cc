#include "c2rl/planning/shortest_path.h"

#include <gtest/gtest.h>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/planning/optimum.h"

namespace c2rl {
namespace {

/// A deterministic model with small whole costs (first measurement) and unit steps (second): full of ties.
TabularModel tied_model(Rng rng) {
  TabularModel model =
      garnet_model({.states = 30, .branching = 1, .end_probability = 0, .horizon = 40}, rng.fork("model"));
  for (int e = 0; e < model.transitions(); ++e)
    model.measurement.col(e) << 1 + static_cast<int>(rng.below(3)), 1;
  validate(model);
  return model;
}

TEST(ShortestPaths, AgreeWithBackwardInductionUnderEveryTieRule) {
  int used = 0;
  for (int seed = 0; seed < 100; ++seed) {
    const TabularModel model = tied_model(Rng(seed));
    const BlockGraph graph(model);
    ASSERT_TRUE(ShortestPaths::usable(model));
    const ShortestPaths paths(model);
    const Vector direction{{1, 0}};
    for (const Ties ties : {Ties::shortest, Ties::longest, Ties::first, Ties::random}) {
      const ScalarProblem problem(model, direction, ties, Rng(seed));
      const auto found = shortest_path(model, paths, problem);
      if (!found) continue;
      ++used;
      const Optimum expected = backward_induction(model, graph, problem, direction);
      EXPECT_EQ(found->evaluation.measurement[0], expected.evaluation.measurement[0]) << seed;
      EXPECT_LE(found->lower_bound, found->evaluation.measurement[0]);
      EXPECT_GE(found->lower_bound, found->evaluation.measurement[0] - 1e-11);
      if (ties == Ties::shortest || ties == Ties::longest) {
        EXPECT_EQ(found->evaluation.steps, expected.evaluation.steps) << seed;
      }
    }
  }
  EXPECT_GE(used, 100);  // the end is in reach in most of these models
}

TEST(ShortestPaths, EndForNothingInTheFewestSteps) {
  TabularModel model = navigation_model();
  const auto solve = [&](Ties ties) {
    return ShortestPaths(model).solve(ScalarProblem(model, Vector{{0, 1}}, ties, Rng(0)));
  };
  ASSERT_TRUE(solve(Ties::shortest));
  EXPECT_EQ(solve(Ties::shortest)->start, (Outlook{0, 12}));
  EXPECT_FALSE(solve(Ties::longest));  // never ends
  model.horizon = 12;
  EXPECT_FALSE(solve(Ties::shortest));  // being cut is as short
  model.horizon = 500;
  for (int e = 0; e < model.transitions(); ++e) {  // a risky column from top to bottom: no end for nothing
    if (model.next[e] % kNavigationColumns == 3) model.measurement(1, e) = 1;
  }
  EXPECT_FALSE(solve(Ties::shortest));
}

TEST(ShortestPaths, RefuseWhatTheyCannotProve) {
  TabularModel model = navigation_model();
  const auto solve = [&](const Vector& direction) {
    return ShortestPaths(model).solve(ScalarProblem(model, direction, Ties::shortest, Rng(0)));
  };
  ASSERT_TRUE(solve(Vector{{1, 1.5}}));
  EXPECT_EQ(solve(Vector{{1, 1.5}})->start, (Outlook{11.5, 10}));
  EXPECT_FALSE(solve(Vector{{-1, 1}}));     // going on pays
  EXPECT_FALSE(solve(Vector{{1e-13, 1}}));  // steps so cheap that they drown in the tolerance
  model.horizon = 8;
  EXPECT_FALSE(solve(Vector{{1, 0}}));  // being cut costs the same as arriving
  model.horizon = 9;
  EXPECT_TRUE(solve(Vector{{1, 0}}));
  model.discount = 0.99;
  EXPECT_FALSE(ShortestPaths::usable(model));
}

}  // namespace
}  // namespace c2rl
