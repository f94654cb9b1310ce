// What the measurements of its policies rest on: which episodes taught them, and which judge.
#include <gtest/gtest.h>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/oracle/ddqn_testing.h"

namespace c2rl {
namespace {

TEST(Ddqn, MeasurementIsTheOffPolicyEstimate) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  const auto dataset = exploration(model, 1000);
  for (const OffPolicyMethod method : {OffPolicyMethod::fitted_q, OffPolicyMethod::doubly_robust}) {
    const Ddqn oracle = oracle_for(model, dataset, {.updates = 50, .off_policy = method});
    const OracleAnswer answer = oracle.minimize(Vector{{1, 1}}, Rng(1));
    const auto learned_from =
        std::make_shared<const Dataset>(select_episodes(*dataset, split_episodes(1000, 0.5).learning));
    const OffPolicyEstimate expected =
        OffPolicyEvaluator(learned_from, {.steps = dataset.get()}).estimate(method, *answer.policy);
    EXPECT_EQ(answer.data_episodes, 500);
    EXPECT_FALSE(answer.computed);
    EXPECT_EQ(answer.measurement, expected.measurement);
    EXPECT_EQ(answer.standard_error, expected.standard_error);
    EXPECT_FALSE(answer.exact);
    EXPECT_EQ(answer.steps.all(), 0);
  }
}

// Whatever the judging episodes hold, what is learned and what is thought of it stay the same.
TEST(Ddqn, LearnsNothingFromEpisodesThatJudge) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  const auto dataset = exploration(model, 400);
  auto changed = std::make_shared<Dataset>(*dataset);
  const EpisodeSplit split = split_episodes(400, 0.5);
  for (const int e : split.judging) {
    for (int i = dataset->episode_begin[e]; i < dataset->episode_begin[e + 1]; ++i)
      changed->measurement.col(i) *= -1;
  }
  const Ddqn oracle = oracle_for(model, dataset, {.updates = 100});
  const Ddqn other = oracle_for(model, changed, {.updates = 100});
  const OracleAnswer answer = oracle.minimize(Vector{{1, 1}}, Rng(1));
  const OracleAnswer same = other.minimize(Vector{{1, 1}}, Rng(1));
  EXPECT_EQ(bytes_of(*answer.policy), bytes_of(*same.policy));
  EXPECT_EQ(answer.measurement, same.measurement);
  const DataEstimate judged = oracle.judge(*answer.policy, 0, 200);
  EXPECT_NEAR((other.judge(*answer.policy, 0, 200).measurement + judged.measurement).norm(), 0, 1e-9);
}

TEST(Ddqn, JudgesByTheEpisodesItIsTold) {
  // Episodes of a step or two: half of them do what a policy does.
  const TabularModel model = garnet_model({.states = 8, .end_probability = 0.9}, Rng(1));
  const auto dataset = exploration(model, 8000);
  const EpisodeSplit split = split_episodes(8000, 0.25);
  for (const OffPolicyMethod method : {OffPolicyMethod::fitted_q, OffPolicyMethod::doubly_robust}) {
    const Ddqn oracle =
        oracle_for(model, dataset, {.updates = 50, .off_policy = method, .judging_part = 0.25});
    ASSERT_EQ(oracle.judging_episodes(), 2000);
    EXPECT_EQ(oracle.learning_data().episodes(), 6000);
    const PolicyPtr policy = oracle.minimize(Vector{{1, 1}}, Rng(1)).policy;
    const DataEstimate found = oracle.judge(*policy, 100, 800);
    const auto slice = std::make_shared<const Dataset>(
        select_episodes(*dataset, std::span(split.judging).subspan(100, 800)));
    const OffPolicyEstimate expected =
        OffPolicyEvaluator(slice, {.steps = dataset.get()}).estimate(method, *policy);
    EXPECT_EQ(found.measurement, expected.measurement);
    EXPECT_EQ(found.standard_error, expected.standard_error);
    EXPECT_FALSE(found.computed);
    EXPECT_NE(oracle.judge(*policy, 900, 800).measurement, found.measurement);
    EXPECT_THROW(oracle.judge(*policy, 1900, 200), std::logic_error);
    // Episodes by weight are fewer than episodes.
    const bool few = oracle.judge(*policy, 0, 100).standard_error[0] == kInfinity;
    EXPECT_EQ(few, method == OffPolicyMethod::doubly_robust);
  }
}

TEST(Ddqn, TooFewEpisodesToJudgeByTellNothing) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  const auto dataset = exploration(model, 100);
  for (const OffPolicyMethod method :
       {OffPolicyMethod::fitted_q, OffPolicyMethod::importance, OffPolicyMethod::weighted_importance,
        OffPolicyMethod::doubly_robust}) {
    const Ddqn oracle = oracle_for(model, dataset, {.updates = 50, .off_policy = method});
    const PolicyPtr policy = oracle.minimize(Vector{{1, 1}}, Rng(1)).policy;
    for (const int count : {0, 1}) {
      const DataEstimate found = oracle.judge(*policy, 3, count);
      EXPECT_TRUE(found.measurement.allFinite());
      EXPECT_EQ(found.standard_error, Vector::Constant(2, kInfinity)) << to_string(method) << " " << count;
    }
  }
}

TEST(Ddqn, DataOfADeterministicWorldProve) {
  const TabularModel model = navigation_model();
  const auto dataset = exploration(model, 400);
  const Ddqn oracle = oracle_for(model, dataset, {.updates = 600});
  EXPECT_EQ(oracle.judging_episodes(), 0);
  EXPECT_EQ(&oracle.learning_data(), dataset.get());
  const OracleAnswer answer = oracle.minimize(Vector{{1, 1}}, Rng(1));
  EXPECT_TRUE(answer.computed);
  EXPECT_EQ(answer.standard_error, Vector::Zero(2));
  EXPECT_EQ(answer.measurement, evaluate(model, *answer.policy).measurement);
  // The same data, were chance not ruled out, prove nothing.
  const Ddqn doubting(dataset, {.updates = 50}, ActionCounts(make_world(model)));
  EXPECT_FALSE(doubting.minimize(Vector{{1, 1}}, Rng(1)).computed);
}

}  // namespace
}  // namespace c2rl
