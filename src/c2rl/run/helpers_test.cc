#include "c2rl/run/helpers.h"

#include <gtest/gtest.h>

#include "c2rl/base/thread_ranks_testing.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/run/problem.h"

namespace c2rl {
namespace {

constexpr const char* kProblem = R"(
[environment]
kind = "garnet"
states = 30
discount = 0.9
horizon = 40
[target]
constraints = ["m1 <= 1000"]
[oracle]
kind = "q-learning"
)";

Problem problem_on(Ranks& ranks) {
  return read_problem(Config::parse(kProblem, "problem.toml"), {.ranks = ranks});
}

PolicyPtr some_policy() {
  std::vector<std::int32_t> actions(30);
  for (int s = 0; s < 30; ++s) actions[s] = s % 4;
  return TabularPolicy::deterministic(actions);
}

TEST(Helpers, EpisodesDoNotDependOnWhoRunsThem) {
  const Problem alone = problem_on(lone_rank());
  const EpisodeTotals expected = episode_totals(alone.world, *some_policy(), 7, 1000, Rng(3));
  for (const int size : {2, 3}) {
    ThreadRanks(size).run([&](Ranks& ranks) {
      const Problem problem = problem_on(ranks);
      if (!ranks.is_first()) return help(problem, ranks);
      const Helpers helpers(ranks);
      for (int again = 0; again < 2; ++again) {
        const EpisodeTotals found = episode_totals(problem.world, *some_policy(), 7, 1000, Rng(3));
        EXPECT_EQ(found.totals, expected.totals);
        EXPECT_EQ(found.env_steps, expected.env_steps);
        EXPECT_EQ(found.terminated, expected.terminated);
        EXPECT_EQ(found.truncated, expected.truncated);
      }
    });
  }
}

TEST(Helpers, WhatStopsTheFirstRankStopsAllAndTheyGoOn) {
  struct Enough {};
  ThreadRanks(3).run([&](Ranks& ranks) {
    const Problem problem = problem_on(ranks);
    if (!ranks.is_first()) return help(problem, ranks);
    const Helpers helpers(ranks);
    const auto run = [&](const Pulse& listener) {
      return episode_totals(problem.world, *some_policy(), 0, 2000, Rng(3), listener);
    };
    EXPECT_THROW(run([] { throw Enough(); }), Enough);
    EXPECT_EQ(run({}).totals.cols(), 2000);
  });
}

TEST(Helpers, WhatGoesWrongOnOneIsSaidByTheFirst) {
  ThreadRanks(2).run([&](Ranks& ranks) {
    const Problem problem = problem_on(ranks);
    if (!ranks.is_first()) return help(problem, ranks);
    const Helpers helpers(ranks);
    // For another number of states: the first rank does not look, who reads it does.
    std::vector<std::int32_t> actions(40, 0);
    try {
      episode_totals(problem.world, *TabularPolicy::deterministic(actions), 0, 1000, Rng(3));
      ADD_FAILURE() << "nothing was wrong";
    } catch (const OracleFailed& error) {
      EXPECT_EQ(std::string(error.what()),
                "rank 1: what rank 0 has sent: policy: is for 40 states; expected 30, as the world has");
    }
  });
}

}  // namespace
}  // namespace c2rl
