#include "c2rl/oracle/ddqn.h"

#include <span>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/oracle/ddqn_testing.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/dynamic_programming.h"

namespace c2rl {
namespace {

TEST(Ddqn, FindsTheNavigationOptimaInRecordedExploration) {
  const TabularModel model = navigation_model();
  Ddqn oracle = oracle_for(model, exploration(model, 400), {.updates = 600});
  DynamicProgramming exact(std::make_shared<TabularModel>(model));
  for (const Vector& direction : {Vector{{1, 0}}, Vector{{1, 1}}, Vector{{0.1, 1}}}) {
    const OracleAnswer answer = oracle.minimize(direction, Rng(1));
    EXPECT_NEAR(direction.dot(evaluate(model, *answer.policy).measurement),
                direction.dot(exact.minimize(direction, Rng(0)).measurement), 1e-9);
  }
}

TEST(Ddqn, ApproachesTheOptimumOfRandomModels) {
  for (int seed = 0; seed < 4; ++seed) {
    const auto model =
        std::make_shared<TabularModel>(garnet_model({.states = 8, .end_probability = 0.2}, Rng(seed)));
    DynamicProgramming exact(model);
    const Vector direction{{0.6, 0.8}};
    const double least = direction.dot(exact.minimize(direction, Rng(0)).measurement);
    const double most = direction.dot(exact.minimize(-direction, Rng(0)).measurement);
    Ddqn oracle = oracle_for(*model, exploration(*model, 20'000), {.updates = 1000});
    const OracleAnswer answer = oracle.minimize(direction, Rng(seed));
    EXPECT_LE(direction.dot(evaluate(*model, *answer.policy).measurement), least + 0.02 * (most - least))
        << seed;
  }
}

TEST(Ddqn, AnswersDependOnArgumentsAlone) {
  const TabularModel model = garnet_model({.states = 30}, Rng(1));
  Ddqn oracle = oracle_for(model, exploration(model, 1000), {.updates = 100});
  const auto answer = [&](const Vector& direction, int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return oracle.minimize(direction, Rng(3));
  };
  const OracleAnswer first = answer(Vector{{1, 1}}, 2);
  oracle.minimize(Vector{{1, -1}}, Rng(4));
  for (const int threads : {1, 2}) {
    const OracleAnswer again = answer(Vector{{1, 1}}, threads);
    EXPECT_EQ(bytes_of(*again.policy), bytes_of(*first.policy));
    EXPECT_EQ(again.measurement, first.measurement);
    EXPECT_EQ(again.standard_error, first.standard_error);
  }
  EXPECT_NE(bytes_of(*oracle.minimize(Vector{{1, 1}}, Rng(5)).policy), bytes_of(*first.policy));
}

TEST(Ddqn, EffortMultipliesUpdates) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  const auto dataset = exploration(model, 200);
  const auto trained = [&](std::int64_t updates, double effort) {
    return bytes_of(*oracle_for(model, dataset, {.updates = updates, .step_cost = 0})
                         .minimize(Vector{{1, 0}}, Rng(1), effort)
                         .policy);
  };
  EXPECT_EQ(trained(100, 1.5), trained(150, 1));
  EXPECT_NE(trained(100, 1), trained(150, 1));
}

TEST(Ddqn, StopsWhenAskedTo) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  Ddqn oracle = oracle_for(model, exploration(model, 200));
  double last = -1;
  const OracleWatcher watcher = [&](double part) {
    EXPECT_GT(part, last);
    last = part;
    return part < 0.1;
  };
  EXPECT_THROW(oracle.minimize({.direction = Vector{{1, 0}}, .rng = Rng(1), .watcher = watcher}),
               OracleInterrupted);
  EXPECT_NEAR(last, 0.1, 0.05);
}

TEST(Ddqn, GoesOnFromAStoredPolicy) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  const auto dataset = exploration(model, 200);
  const DdqnOptions still = {
      .updates = 1, .learning_rate = 1e-30, .learning_rate_last = 0, .warm_start = true};
  OracleCall call{.direction = Vector{{1, 0}}, .rng = Rng(2)};
  call.start = oracle_for(model, dataset, {.updates = 50}).minimize(Vector{{1, 0}}, Rng(1)).policy;
  const OracleAnswer answer = oracle_for(model, dataset, still).minimize(call);
  EXPECT_EQ(bytes_of(*answer.policy), bytes_of(*call.start));
  DdqnOptions narrow = still;
  narrow.hidden = {8};
  EXPECT_THROW(oracle_for(model, dataset, narrow).minimize(call), InputError);
}

/// Action 0 of state 0 measures 1 and action 1 measures 0.5; both lead to state 1, which measures 5 and ends.
/// Each of them ends an episode as told: by terminating, by being cut, or only of the recording.
Dataset two_ways(bool first_terminates, bool second_terminates, bool cut) {
  Dataset dataset;
  dataset.measurements = {"cost"};
  dataset.discount = 0.9;
  dataset.states = 2;
  dataset.actions = 2;
  dataset.state = {0, 0, 1, 1};
  dataset.action = {0, 1, 0, 1};
  dataset.measurement = Matrix{{1, 0.5, 5, 5}};
  dataset.next_state = {1, 1, 0, 0};
  dataset.terminated = {first_terminates, second_terminates, 1, 1};
  dataset.truncated = {cut && !first_terminates, cut && !second_terminates, 0, 0};
  dataset.probability.assign(4, 0.5);
  dataset.episode_begin = {0, 1, 2, 3, 4};
  validate(dataset);
  return dataset;
}

TEST(Ddqn, OnlyTerminationEndsWhatIsAhead) {
  for (const bool cut : {true, false}) {
    for (const auto& [first, second, best] : {std::tuple{true, false, 0}, std::tuple{false, true, 1},
                                              std::tuple{true, true, 1}, std::tuple{false, false, 1}}) {
      const Dataset dataset = two_ways(first, second, cut);
      const RecordedActions recorded(dataset, ActionCounts(2));
      const DdqnOptions options = {.hidden = {16}, .batch = 16, .learning_rate = 1e-2};
      DdqnTraining training(dataset, recorded, options, Vector{{1.0}}, 1000, Rng(1));
      while (!training.done()) training.update();
      Matrix probabilities(2, 1);
      training.policy()->action_probabilities(std::vector<int>{0}, 0, probabilities);
      EXPECT_EQ(probabilities(best, 0), 1) << first << second << cut;
    }
  }
}

TEST(Ddqn, BalancedBatchesHoldWhatIsRare) {
  // State 1 was recorded 20,000 times, each action of state 0 once: uniform batches would hardly hold that.
  Dataset dataset = two_ways(true, false, true);
  constexpr int kTimes = 20'000;
  for (int i = 0; i < kTimes; ++i) {
    dataset.state.push_back(1);
    dataset.action.push_back(i % 2);
    dataset.next_state.push_back(0);
    dataset.terminated.push_back(1);
    dataset.truncated.push_back(0);
    dataset.probability.push_back(0.5);
    dataset.episode_begin.push_back(dataset.size());
  }
  dataset.measurement.conservativeResize(1, dataset.size());
  dataset.measurement.rightCols(kTimes).setConstant(5);
  validate(dataset);
  const RecordedActions recorded(dataset, ActionCounts(2));
  for (const Vector& direction : {Vector{{1.0}}, Vector{{-1.0}}}) {
    const DdqnOptions options = {.hidden = {16}, .batch = 16, .learning_rate = 1e-2};
    DdqnTraining training(dataset, recorded, options, direction, 1000, Rng(1));
    while (!training.done()) training.update();
    Matrix probabilities(2, 1);
    training.policy()->action_probabilities(std::vector<int>{0}, 0, probabilities);
    EXPECT_EQ(probabilities(direction[0] > 0 ? 0 : 1, 0), 1);
  }
  EXPECT_EQ(batch_sampling_names().parse("balanced"), BatchSampling::balanced);
  EXPECT_THROW(batch_sampling_names().parse("even"), InputError);
}

TEST(Ddqn, TakesNoActionThatWasNeverRecorded) {
  // The way around the risky cells begins upwards, which this behaviour never goes.
  TabularModel model = navigation_model();
  model.horizon = 40;
  const auto dataset = exploration(model, 5000, /*first_action=*/1);
  Ddqn oracle = oracle_for(model, dataset, {.updates = 600});
  const OracleAnswer answer = oracle.minimize(Vector{{1, 3}}, Rng(1));
  EXPECT_EQ(evaluate(model, *answer.policy).measurement, (Vector{{8, 4}}));
  EXPECT_EQ(answer.measurement, (Vector{{8, 4}}));
  EXPECT_EQ(oracle.evaluator().estimate(OffPolicyMethod::fitted_q, *answer.policy).unsupported, 0);
  Matrix probabilities(4, dataset->size());
  answer.policy->action_probabilities(dataset->state, 0, probabilities);
  EXPECT_EQ(probabilities.row(0).sum(), 0);
}

TEST(Ddqn, LearnsFromFeatures) {
  const TabularModel model = navigation_model();
  Dataset dataset = *exploration(model, 400);
  const Eigen::MatrixXf one_hot = Eigen::MatrixXf::Identity(model.states, model.states);
  dataset.observation = one_hot(Eigen::all, dataset.state);
  dataset.next_observation = one_hot(Eigen::all, dataset.next_state);
  dataset.state.clear();
  dataset.next_state.clear();
  dataset.features = std::exchange(dataset.states, 0);
  validate(dataset);
  const RecordedActions recorded(dataset, ActionCounts(4));
  DdqnTraining training(dataset, recorded, {.hidden = {64, 64}, .batch = 64}, Vector{{0.6, 0.8}}, 1000,
                        Rng(1));
  while (!training.done()) training.update();
  Matrix probabilities(4, model.states);
  training.policy()->action_probabilities(one_hot, 0, probabilities);
  std::vector<std::int32_t> actions(model.states);
  for (int s = 0; s < model.states; ++s) probabilities.col(s).maxCoeff(&actions[s]);
  EXPECT_EQ(evaluate(model, *TabularPolicy::deterministic(actions)).measurement, (Vector{{10, 1}}));

  EXPECT_THROW(Ddqn(std::make_shared<Dataset>(dataset), {}, ActionCounts(4)), InputError);
}

}  // namespace
}  // namespace c2rl
