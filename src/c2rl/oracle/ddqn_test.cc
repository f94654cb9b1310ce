#include "c2rl/oracle/ddqn.h"

#include <cstdio>
#include <filesystem>
#include <span>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/offline/dataset_testing.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/oracle_kinds.h"

namespace c2rl {
namespace {

/// Draws among the actions of each state, `first` and those after it, with equal probabilities.
PolicyPtr uniform_policy(const TabularModel& model, int first = 0) {
  std::vector<std::int32_t> row_begin = {0};
  std::vector<double> probabilities;
  for (int s = 0; s < model.states; ++s) {
    const int actions = model.actions(s);
    for (int a = 0; a < actions; ++a) probabilities.push_back(a < first ? 0.0 : 1.0 / (actions - first));
    row_begin.push_back(static_cast<std::int32_t>(probabilities.size()));
  }
  return TabularPolicy::randomized(row_begin, probabilities);
}

std::shared_ptr<const Dataset> exploration(const TabularModel& model, int episodes, int first_action = 0) {
  auto dataset = std::make_shared<Dataset>(
      sampled_dataset(model, *uniform_policy(model, first_action), episodes, Rng(7)));
  validate(*dataset);
  return dataset;
}

Ddqn oracle_for(const TabularModel& model, std::shared_ptr<const Dataset> dataset,
                const DdqnOptions& options = {}) {
  const World world = make_world(model);
  return Ddqn(std::move(dataset), options, ActionCounts(world), world.deterministic);
}

std::vector<std::byte> parameters(const PolicyPtr& policy) {
  std::vector<std::byte> all;
  for (const Tensor& array : policy->arrays()) all.insert(all.end(), array.bytes.begin(), array.bytes.end());
  return all;
}

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
  EXPECT_EQ(parameters(answer.policy), parameters(same.policy));
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
    EXPECT_EQ(parameters(again.policy), parameters(first.policy));
    EXPECT_EQ(again.measurement, first.measurement);
    EXPECT_EQ(again.standard_error, first.standard_error);
  }
  EXPECT_NE(parameters(oracle.minimize(Vector{{1, 1}}, Rng(5)).policy), parameters(first.policy));
}

TEST(Ddqn, EffortMultipliesUpdates) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  const auto dataset = exploration(model, 200);
  const auto trained = [&](std::int64_t updates, double effort) {
    return parameters(oracle_for(model, dataset, {.updates = updates, .step_cost = 0})
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
  EXPECT_EQ(parameters(answer.policy), parameters(call.start));
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

TEST(Ddqn, DatasetMustBeOfTheWorld) {
  const std::string path = testing::TempDir() + "c2rl_ddqn_test.safetensors";
  const auto model = std::make_shared<TabularModel>(navigation_model());
  const World world = make_world(model);
  const Dataset good = *exploration(*model, 10);
  const auto make = [&](const Dataset& dataset, const World& in) {
    write_dataset(path, dataset);
    const Config file =
        Config::parse("[oracle]\nkind = 'ddqn'\ndataset = '" + path + "'\nupdates = 5\n", "problem.toml");
    const Config section = file.section("oracle");
    const auto oracle = make_oracle(oracle_kinds().named_in(section), section, in);
    file.reject_unknown_keys();
    return oracle->minimize(Vector{{1, 0}}, Rng(1));
  };
  EXPECT_EQ(make(good, world).policy->kind(), "network");

  const auto complaint = [&](void (*change)(Dataset&)) -> std::string {
    Dataset changed = good;
    change(changed);
    try {
      make(changed, world);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path + ": ")) << message;
      return message.substr(std::min(message.size(), path.size() + 2));
    }
    return "none";
  };
  EXPECT_EQ(complaint([](Dataset& d) { d.states = 60; }),
            "states: found 60, expected 54 as the environment has");
  EXPECT_EQ(complaint([](Dataset& d) { d.actions = 5; }),
            "actions: found 5, expected 4 as the environment has");
  EXPECT_EQ(complaint([](Dataset& d) {
              d.measurements = {"steps", "danger"};
            }),
            "measurements: found steps, danger, expected steps, risk as the environment has");
  EXPECT_EQ(complaint([](Dataset& d) { d.discount = 0.9; }),
            "discount: found 0.9, expected 1 as the environment has");
  EXPECT_EQ(complaint([](Dataset& d) { d.horizon = 0; }),
            "horizon: found 0, expected 500 as the environment has");
  std::filesystem::remove(path);
}

TEST(Ddqn, ActionsMustExist) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  Dataset dataset = *exploration(model, 100);
  const ActionCounts counts(make_world(model));
  ASSERT_EQ(counts.of(dataset.state[0]), 2);
  dataset.action[0] = 2;
  try {
    const RecordedActions recorded(dataset, counts);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "action: transition 0: found 2 in state 0, expected 0 to 1");
  }
  EXPECT_THROW(RecordedActions(dataset, ActionCounts(4)), InputError);
}

TEST(Ddqn, NamesTheOptionThatIsWrong) {
  const TabularModel model = garnet_model({.states = 8}, Rng(1));
  const auto dataset = exploration(model, 10);
  try {
    oracle_for(model, dataset, {.target_period = 0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "target_period: found 0, expected a whole number from 1 to 1000000");
  }
  for (const DdqnOptions& bad :
       {DdqnOptions{.hidden = {0}}, DdqnOptions{.updates = 0}, DdqnOptions{.batch = 0},
        DdqnOptions{.learning_rate = 0}, DdqnOptions{.learning_rate_last = -1}, DdqnOptions{.momentum = 1},
        DdqnOptions{.training_discount = 1.1}, DdqnOptions{.step_cost = -1}, DdqnOptions{.huber_limit = 0},
        DdqnOptions{.judging_part = 1}}) {
    EXPECT_THROW(oracle_for(model, dataset, bad), InputError);
  }
}

}  // namespace
}  // namespace c2rl
