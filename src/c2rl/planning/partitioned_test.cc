#include "c2rl/planning/partitioned.h"

#include <mutex>

#include <gtest/gtest.h>

#include "c2rl/base/thread_ranks_testing.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/model_builder.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimum.h"
#include "c2rl/planning/state_order.h"

namespace c2rl {
namespace {

/// Random; one state in `ends` leads to nothing further, where that is above 0, and then all episodes come there.
TabularModel random_model(int states, double discount, int ends, std::uint64_t seed) {
  ModelBuilder builder({"m1", "m2"});
  Rng rng(seed);
  for (int s = 0; s < states; ++s) {
    const bool is_end = ends > 0 && s % ends == ends - 1;
    for (int a = 0; a < (is_end ? 0 : 3); ++a) {
      const Vector amount{{rng.uniform() - 0.3, rng.uniform()}};
      const double p = rng.uniform();
      const int last = ends > 0 ? std::min(states - 1, s / ends * ends + ends - 1) : 0;
      builder.add_transition(static_cast<int>(rng.below(states)), ends > 0 ? p / 2 : p, amount);
      builder.add_transition(last, ends > 0 ? 1 - p / 2 : 1 - p, 2 * amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  Vector start = Vector::Zero(states);
  start[0] = 0.25;
  start[states / 2] = 0.75;
  TabularModel model = std::move(builder).finish(start);
  model.discount = discount;
  validate(model);
  return model;
}

struct Found {
  std::vector<std::int32_t> actions;
  PartitionedPlanner::Answer answer;
  double least_steps = 0, most_steps = 0;
};

Found plan(const TabularModel& model, const Vector& direction, int size) {
  Found found;
  ThreadRanks(size).run([&](Ranks& ranks) {
    const auto at = [&](int rank) { return static_cast<int>(part_begin(model.states, rank, size)); };
    PartitionedPlanner planner(slice(model, at(ranks.rank()), at(ranks.rank() + 1)), ranks);
    const PartitionedPlanner::Answer answer = planner.minimise(direction, 1e-9);
    const std::vector<std::int32_t> actions = planner.gather(answer.actions);
    if (ranks.is_first()) found = {actions, answer, planner.least_steps(), planner.most_steps()};
  });
  return found;
}

class Models : public testing::TestWithParam<std::tuple<double, int>> {};

// The optimum by policy iteration, and J of the policy by its visits, which have no code in common with this.
TEST_P(Models, AnswersAreProvenAndTheSameOnAnyNumberOfRanks) {
  const auto [discount, ends] = GetParam();
  const TabularModel model = random_model(301, discount, ends, 7);
  const Vector direction{{0.6, -0.8}};
  const StateOrder order(model);
  const ScalarProblem problem(model, direction, Ties::first, Rng(0));
  const Optimum best = policy_iteration(model, order, problem, longest_episode(model, order));
  const double least = direction.dot(best.evaluation.measurement);
  const Found one = plan(model, direction, 1);
  for (const int size : {1, 2, 4, 7}) {
    const Found found = plan(model, direction, size);
    EXPECT_EQ(found.actions, one.actions);
    EXPECT_EQ(found.answer.lower_bound, one.answer.lower_bound);
    EXPECT_EQ(found.answer.measurement, one.answer.measurement);
    EXPECT_EQ(found.answer.sweeps, one.answer.sweeps);
    EXPECT_LE(found.answer.lower_bound, least + 1e-12);
    EXPECT_GE(found.answer.lower_bound, least - 1e-7);
    const Evaluation evaluation = evaluate(model, *TabularPolicy::deterministic(found.actions));
    EXPECT_LE((evaluation.measurement - found.answer.measurement).lpNorm<Eigen::Infinity>(),
              found.answer.error + evaluation.error);
    EXPECT_LE(found.answer.error, 1e-7);
    EXPECT_GE(found.most_steps, evaluation.steps);
    EXPECT_LE(found.least_steps, evaluation.steps);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitioned, Models,
                         testing::Values(std::tuple(0.9, 0), std::tuple(0.99, 0), std::tuple(0.95, 10),
                                         std::tuple(1.0, 10), std::tuple(1.0, 3)));

TEST(Partitioned, PartsThatLeaveStatesOutAreRefused) {
  const TabularModel model = random_model(100, 0.9, 0, 1);
  EXPECT_THROW(ThreadRanks(2).run([&](Ranks& ranks) {
    PartitionedPlanner(slice(model, ranks.rank() * 50, ranks.rank() * 50 + 49), ranks);
  }),
               InputError);
}

TEST(Partitioned, TheFirstRankStopsAll) {
  const TabularModel model = random_model(100, 0.9, 0, 1);
  int stopped = 0;
  std::mutex mutex;
  struct Enough {};
  ThreadRanks(3).run([&](Ranks& ranks) {
    const auto at = [&](int rank) { return static_cast<int>(part_begin(100, rank, 3)); };
    PartitionedPlanner planner(slice(model, at(ranks.rank()), at(ranks.rank() + 1)), ranks);
    const auto note = [&] {
      const std::lock_guard lock(mutex);
      ++stopped;
    };
    try {
      planner.minimise(Vector{{1.0, 0.0}}, 1e-9, [](double) { throw Enough(); });
    } catch (const Enough&) {
      note();
    } catch (const PlanningStopped&) {
      note();
    }
  });
  EXPECT_EQ(stopped, 3);
}

}  // namespace
}  // namespace c2rl
