#include "c2rl/mdp/total_range.h"

#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/mdp/policies_testing.h"

namespace c2rl {
namespace {

/// Start (0) goes on to 1 for an amount, or at once to the end; 1 stays or ends.
TabularModel small_model(double stay, double end) {
  TabularModel model;
  model.measurements = {"m", "end"};
  add_state(model, {{{1, 0.5, Vector{{2, 0}}}, {2, 0.5, Vector{{-1, 1}}}}});
  add_state(model, {{{1, 0.25, Vector{{stay, 0}}}, {2, 0.75, Vector{{end, 1}}}, {0, 0.0, Vector{{99, 5}}}}});
  add_state(model, {});
  model.start = Vector::Unit(3, 0);
  return model;
}

void expect_range(const TotalRange& found, double lowest, double highest, bool event = false) {
  EXPECT_DOUBLE_EQ(found.lowest, lowest);
  EXPECT_DOUBLE_EQ(found.highest, highest);
  EXPECT_EQ(found.event, event);
}

TEST(TotalRange, IsThatOfAllPathsUpToTheHorizon) {
  const TabularModel navigation = navigation_model();
  expect_range(total_range(make_world(navigation), Vector{{1, 0}}), 8, 500);
  expect_range(total_range(make_world(navigation), Vector{{-1, 0}}), -500, -8);
  expect_range(total_range(make_world(navigation), Vector{{0, 1}}), 0, 499);
  expect_range(total_range(make_world(navigation), Vector{{1, 1}}), 11, 999);
  TabularModel model = small_model(3, -4);
  model.horizon = 3;
  // Out at once: -1; on, then out: 2 - 4; on and stay twice: 2 + 3 + 3.
  expect_range(total_range(make_world(model), Vector{{1, 0}}), -2, 8);
  model.discount = 0.5;
  expect_range(total_range(make_world(model), Vector{{1, 0}}), -1, 2 + 1.5 + 0.75);
}

TEST(TotalRange, WithoutHorizonEpisodesEndByThemselves) {
  const TabularModel growing = small_model(3, -4);
  EXPECT_TRUE(model_range(growing, Vector{{1, 0}}).exact);
  expect_range(total_range(make_world(growing), Vector{{1, 0}}), -2, kInfinity);
  const TabularModel shrinking = small_model(-3, 4);
  expect_range(total_range(make_world(shrinking), Vector{{1, 0}}), -kInfinity, 6);
  const TabularModel waiting = small_model(0, 4);
  expect_range(total_range(make_world(waiting), Vector{{1, 0}}), -1, 6);
  TabularModel discounted = small_model(3, -4);
  discounted.discount = 0.5;
  const TotalRange range = total_range(make_world(discounted), Vector{{1, 0}});
  EXPECT_DOUBLE_EQ(range.lowest, -1);
  EXPECT_GE(range.highest, 5 - 1e-12);  // 2 + 3/2 + 3/4 + ...
  EXPECT_LE(range.highest, 5 + 1e-7);
}

TEST(TotalRange, ArrivingIsAnEvent) {
  TabularModel model = small_model(0, 1);
  expect_range(total_range(make_world(model), Vector{{0, 1}}), 1, 1,
               true);  // without a cut it always happens
  model.horizon = 3;
  expect_range(total_range(make_world(model), Vector{{0, 1}}), 0, 1, true);
  expect_range(total_range(make_world(model), Vector{{0, -2}}), -2, 0, true);
  // Not along one axis; not always the same; not only at the end; discounted by when it happens.
  EXPECT_FALSE(total_range(make_world(model), Vector{{1, 1}}).event);
  EXPECT_FALSE(total_range(make_world(model), Vector{{1, 0}}).event);
  model.measurement(1, 0) = 1;
  EXPECT_FALSE(total_range(make_world(model), Vector{{0, 1}}).event);
  model.measurement(1, 0) = 0;
  model.measurement(1, 1) = 0.5;
  EXPECT_FALSE(total_range(make_world(model), Vector{{0, 1}}).event);
  model.measurement(1, 1) = 1;
  model.discount = 0.9;
  EXPECT_FALSE(total_range(make_world(model), Vector{{0, 1}}).event);
}

TEST(TotalRange, TooLongForTheWholeIsBoundedBySteps) {
  TabularModel navigation = navigation_model();
  navigation.horizon = 2'000'000'000;
  expect_range(total_range(make_world(navigation), Vector{{1, 0}}), 1, 2e9);
  expect_range(total_range(make_world(navigation), Vector{{0, -1}}), -2e9, 0);
  EXPECT_FALSE(model_range(navigation, Vector{{1, 0}}).exact);
  // Then what was declared is better than that; where the model knows, it is not looked at.
  World world = make_world(navigation);
  world.ranges = {{8, 1000}, {}};
  expect_range(total_range(world, Vector{{2, 0}}), 16, 2000);
  const TabularModel shorter = navigation_model();
  world.model = std::shared_ptr<const TabularModel>(std::shared_ptr<void>(), &shorter);
  expect_range(total_range(world, Vector{{2, 0}}), 16, 1000);
}

// Independently: every path of a small model, written out.
TEST(TotalRange, MatchesAllPathsOfRandomModels) {
  for (int seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const TabularModel model = garnet_model(
        {.states = 4, .actions = 2, .branching = 2, .discount = seed % 2 ? 0.8 : 1.0, .horizon = 5},
        rng.fork("model"));
    const Vector combination = rng.normal_vector(2);
    double lowest = kInfinity, highest = -kInfinity;
    const std::function<void(int, int, double, double)> follow = [&](int state, int step, double factor,
                                                                     double sum) {
      if (step == model.horizon || model.is_terminal(state)) {
        lowest = std::min(lowest, sum);
        highest = std::max(highest, sum);
        return;
      }
      for (int e = model.first_transition(state); e < model.first_transition(state + 1); ++e) {
        if (model.probability[e] > 0)
          follow(model.next[e], step + 1, factor * model.discount,
                 sum + factor * combination.dot(model.measurement.col(e)));
      }
    };
    for (int s = 0; s < model.states; ++s) {
      if (model.start[s] > 0) follow(s, 0, 1, 0);
    }
    const World world = make_world(model);
    const TotalRange range = total_range(world, combination);
    EXPECT_NEAR(range.lowest, lowest, 1e-12);
    EXPECT_NEAR(range.highest, highest, 1e-12);
    const EpisodeTotals episodes = episode_totals(world, *random_policy(model, rng), 0, 100, rng);
    const Vector totals = episodes.totals.transpose() * combination;
    EXPECT_GE(totals.minCoeff(), range.lowest - 1e-12);
    EXPECT_LE(totals.maxCoeff(), range.highest + 1e-12);
  }
}

TEST(TotalRange, WithoutAModelItIsWhatIsDeclared) {
  World world;
  world.measurements = {"a", "b"};
  expect_range(total_range(world, Vector{{1, 0}}), -kInfinity, kInfinity);
  expect_range(total_range(world, Vector{{0, 0}}), 0, 0);
  world.ranges = {{0, 3, false}, {0, 1, true}};
  expect_range(total_range(world, Vector{{1, -2}}), -2, 3);
  expect_range(total_range(world, Vector{{0, -2}}), -2, 0, true);
  world.ranges[0].highest = kInfinity;
  expect_range(total_range(world, Vector{{0, 1}}), 0, 1, true);
  expect_range(total_range(world, Vector{{-1, 1}}), -kInfinity, 1);
}

TEST(World, IsDeterministicWithOneStartAndOneOutcomeOfEachAction) {
  TabularModel model = navigation_model();
  EXPECT_TRUE(make_world(model).deterministic);
  model.start[0] = model.start[1] = 0.5;
  EXPECT_FALSE(make_world(model).deterministic);
  const TabularModel random = small_model(1, 1);
  EXPECT_FALSE(make_world(random).deterministic);
}

}  // namespace
}  // namespace c2rl
