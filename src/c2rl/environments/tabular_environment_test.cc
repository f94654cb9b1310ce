#include <array>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "c2rl/environments/walk_testing.h"
#include "c2rl/mdp/environment.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

constexpr int kUp = 0, kDown = 1, kLeft = 2, kRight = 3;

std::unique_ptr<Environment> environment(const std::string& example, int batch) {
  return make_tabular_environment(std::make_shared<TabularModel>(example_model(example)), batch);
}

TEST(Environment, WalksTheNavigationPathsTogether) {
  const auto env = environment("navigation", 3);
  EXPECT_TRUE(env->ended(0));  // not begun
  env->reset(Rng(1));
  Matrix sums = Matrix::Zero(2, 3);
  for (int t = 0; t < 12; ++t) {
    std::array<int, 3> actions;
    for (int up = 0; up < 3; ++up) actions[up] = t < up ? kUp : t < up + 8 ? kRight : kDown;
    env->step(actions);
    sums += env->measurement();
    for (int up = 0; up < 3; ++up) EXPECT_EQ(env->terminated(up), t + 1 >= 8 + 2 * up);
  }
  // An ended episode measures nothing more, stays where it ended and keeps its number of steps.
  EXPECT_EQ(sums, (Matrix{{8.0, 10.0, 12.0}, {4.0, 1.0, 0.0}}));
  EXPECT_EQ(std::vector<int>(env->states().begin(), env->states().end()), (std::vector<int>{35, 35, 35}));
  EXPECT_EQ(std::vector<int>(env->steps().begin(), env->steps().end()), (std::vector<int>{8, 10, 12}));
  for (int slot = 0; slot < 3; ++slot) EXPECT_FALSE(env->truncated(slot));
  env->reset(1, Rng(2));
  EXPECT_EQ(env->states()[1], 27);
  EXPECT_FALSE(env->ended(1));
  EXPECT_TRUE(env->ended(0));
}

TEST(Environment, TheHorizonTruncates) {
  const auto env = environment("navigation", 1);
  env->reset(Rng(1));
  const std::array<int, 1> left = {kLeft};
  for (int t = 0; t < 499; ++t) env->step(left);
  EXPECT_FALSE(env->ended(0));
  env->step(left);
  EXPECT_TRUE(env->truncated(0));
  EXPECT_FALSE(env->terminated(0));
  EXPECT_EQ(env->measurement(), (Matrix{{1.0}, {0.0}}));
  env->step(left);
  EXPECT_EQ(env->steps()[0], 500);
  EXPECT_EQ(env->measurement(), (Matrix{{0.0}, {0.0}}));
}

TEST(Environment, EndingAtTheHorizonIsNoTruncation) {
  TabularModel model = example_model("navigation");
  model.horizon = 8;
  const auto env = make_tabular_environment(std::make_shared<TabularModel>(model), 1);
  env->reset(Rng(1));
  for (int t = 0; t < 8; ++t) env->step(std::array{kRight});
  EXPECT_TRUE(env->terminated(0));
  EXPECT_FALSE(env->truncated(0));
}

/// Sums of the measurements of episodes 0 .. n - 1 under random actions, run in a batch where the next
/// episode takes the slot of the one that ended.
Matrix run_episodes(int episodes, int batch) {
  const auto env = environment("mars_rover", batch);
  const Rng rng(7);
  Matrix sums = Matrix::Zero(env->dim() + 1, episodes);
  std::vector<int> episode(batch, -1), actions(batch, 0);
  std::vector<Rng> deciders(batch, Rng(0));
  int begun = 0, running = 0;
  do {
    for (int slot = 0; slot < batch; ++slot) {
      if (!env->ended(slot) || begun == episodes) continue;
      episode[slot] = begun++;
      env->reset(slot, rng.fork("episode", episode[slot]));
      deciders[slot] = rng.fork("actions", episode[slot]);
    }
    running = 0;
    for (int slot = 0; slot < batch; ++slot) {
      if (env->ended(slot)) continue;
      ++running;
      actions[slot] = static_cast<int>(deciders[slot].below(4));
    }
    env->step(actions);
    for (int slot = 0; slot < batch; ++slot) {
      if (episode[slot] < 0) continue;
      sums.col(episode[slot]).head(env->dim()) += env->measurement().col(slot);
      sums(env->dim(), episode[slot]) = env->states()[slot];
      if (env->ended(slot)) episode[slot] = -1;
    }
  } while (running > 0);
  return sums;
}

TEST(Environment, EpisodesDoNotDependOnTheBatch) {
  const Matrix one_by_one = run_episodes(60, 1);
  EXPECT_EQ(run_episodes(60, 7), one_by_one);
  EXPECT_EQ(run_episodes(60, 60), one_by_one);
  EXPECT_EQ(run_episodes(60, 100), one_by_one);
  EXPECT_GT((one_by_one.colwise() - one_by_one.col(0)).norm(), 1.0);  // and they differ from each other
}

TEST(Environment, DrawsStartsAndTransitionsWithTheirProbabilities) {
  ModelBuilder builder({"x"});
  for (int s = 0; s < 3; ++s) {
    builder.add_transition(0, 0.5, Vector{{1.0}});
    builder.add_transition(1, 0.0, Vector{{2.0}});
    builder.add_transition(2, 0.3, Vector{{3.0}});
    builder.add_transition(2, 0.2, Vector{{4.0}});
    builder.end_choice();
    builder.end_state();
  }
  constexpr int kDraws = 40000;
  const auto model = std::make_shared<TabularModel>(std::move(builder).finish(Vector{{0.25, 0.0, 0.75}}));
  const auto env = make_tabular_environment(model, kDraws);
  env->reset(Rng(3));
  std::array<int, 3> starts = {};
  for (const int state : env->states()) ++starts[state];
  env->step(std::vector<int>(kDraws, 0));
  std::array<int, 5> taken = {};
  for (int slot = 0; slot < kDraws; ++slot) ++taken[static_cast<int>(env->measurement()(0, slot))];
  // Five standard errors each; what is impossible never happens.
  const auto expect_share = [](int count, double p) {
    EXPECT_NEAR(count, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)));
  };
  expect_share(starts[0], 0.25);
  expect_share(starts[1], 0.0);
  expect_share(taken[1], 0.5);
  expect_share(taken[2], 0.0);
  expect_share(taken[3], 0.3);
  expect_share(taken[4], 0.2);
}

TEST(Environment, RefusesWhatMakesNoSense) {
  const auto env = environment("navigation", 2);
  env->reset(Rng(1));
  EXPECT_THROW(env->step(std::array{0}), std::logic_error);
  EXPECT_THROW(env->step(std::array{0, 4}), std::logic_error);
  EXPECT_THROW(env->step(std::array{-1, 0}), std::logic_error);
  EXPECT_THROW(env->reset(2, Rng(1)), std::logic_error);
}

}  // namespace
}  // namespace c2rl
