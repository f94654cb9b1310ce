#include "c2rl/offline/off_policy.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/offline/off_policy_testing.h"

namespace c2rl {
namespace {

/// Four episodes of at most two steps, small enough to work out by hand; state 2 is terminal. The policy's
/// ratios to the behaviour are 1.6 and 0.4 in state 0, 1.2 and 0.8 in state 1.
Dataset hand_dataset() {
  Dataset dataset;
  dataset.measurements = {"cost"};
  dataset.discount = 0.5;
  dataset.horizon = 2;
  dataset.states = 3;
  dataset.actions = 2;
  dataset.state = {0, 1, 0, 1, 0, 0, 1};
  dataset.action = {0, 0, 1, 1, 0, 0, 0};
  dataset.measurement = Matrix{{1, 2, 3, 4, 5, 1, 4}};
  dataset.next_state = {1, 2, 1, 0, 2, 1, 2};
  dataset.terminated = {0, 1, 0, 0, 1, 0, 1};
  dataset.truncated = {0, 0, 0, 1, 0, 0, 0};
  dataset.probability.assign(7, 0.5);
  dataset.episode_begin = {0, 2, 4, 5, 7};
  return dataset;
}
PolicyPtr hand_policy() {
  return TabularPolicy::randomized({0, 2, 4, 4}, {0.8, 0.2, 0.6, 0.4});
}

TEST(OffPolicy, FittedQByHand) {
  const OffPolicyEstimate found = estimate_from(hand_dataset(), OffPolicyMethod::fitted_q, *hand_policy());
  const OffPolicyEstimate certain =
      estimate_from(hand_dataset(), OffPolicyMethod::fitted_q, *hand_policy(), {.deterministic = true});
  const double v1 = 0.6 * 3 + 0.4 * 4;  // of state 1, one step to go
  const double q00 = (1 + 5 + 1) / 3.0 + 0.5 * (2 / 3.0) * v1, q01 = 3 + 0.5 * v1;
  EXPECT_NEAR(found.measurement[0], 0.8 * q00 + 0.2 * q01, 1e-14);
  // Visits: 0.8 and 0.2 to the actions of state 0; state 1 is reached with probability 0.8 * 2/3 + 0.2.
  const double reached = 0.5 * (0.8 * 2 / 3 + 0.2);
  const double squares00 = 2 * std::pow(1 + 0.5 * v1 - q00, 2) + std::pow(5 - q00, 2), squares10 = 2;
  const double once = std::pow(0.2, 2) + std::pow(0.4 * reached, 2);
  const double variance = std::pow(0.8, 2) * squares00 / (3 * 2) +
                          std::pow(0.6 * reached, 2) * squares10 / (2 * 1) +
                          once * (squares00 + squares10) / (2 + 1);
  EXPECT_EQ(certain.measurement, found.measurement);
  EXPECT_NEAR(certain.standard_error[0], std::sqrt(variance), 1e-14);
  EXPECT_EQ(found.effective_episodes, 4);
  EXPECT_EQ(found.unsupported, 0);
}

TEST(OffPolicy, WhatWasNotSeenWidensTheErrorByHand) {
  const OffPolicyEstimate found = estimate_from(hand_dataset(), OffPolicyMethod::fitted_q, *hand_policy());
  const double v1 = 0.6 * 3 + 0.4 * 4;
  const double q00 = (1 + 5 + 1) / 3.0 + 0.5 * (2 / 3.0) * v1, q01 = 3 + 0.5 * v1;
  const double reached = 0.5 * (0.8 * 2 / 3 + 0.2);
  const double squares00 = 2 * std::pow(1 + 0.5 * v1 - q00, 2) + std::pow(5 - q00, 2), squares10 = 2;
  const double seen = std::pow(0.8, 2) * squares00 / 6 + std::pow(0.6 * reached, 2) * squares10 / 2;
  // A step measures 0 to 5; from state 0 it leads to state 1 or to the end, from state 1 to the end only, or
  // beyond the horizon. Two errors by the number of visits, 3, 1, 2 and 1.
  const double far00 = std::max(5 + 0.5 * v1 - q00, q00), far01 = std::max(5 + 0.5 * v1 - q01, q01);
  const double unseen = std::pow(2 / 3.0 * 0.8 * far00, 2) + std::pow(2 * 0.2 * far01, 2) +
                        std::pow(2 / 2.0 * 0.6 * reached * 3, 2) + std::pow(2 * 0.4 * reached * 4, 2);
  // And the mean spread of three repetitions, as if each pair had that, too.
  const double others = std::pow(2 / 3.0 * 0.8, 2) + std::pow(2 * 0.2, 2) + std::pow(0.6 * reached, 2) +
                        std::pow(2 * 0.4 * reached, 2);
  EXPECT_NEAR(found.standard_error[0], std::sqrt(seen + unseen + others * (squares00 + squares10) / 3),
              1e-13);
}

TEST(OffPolicy, ImportanceByHand) {
  const OffPolicyEstimate found = estimate_from(hand_dataset(), OffPolicyMethod::importance, *hand_policy());
  const Vector episodes{
      {1.6 * (1 + 0.5 * 1.2 * 2), 0.4 * (3 + 0.5 * 0.8 * 4), 1.6 * 5, 1.6 * (1 + 0.5 * 1.2 * 4)}};
  EXPECT_NEAR(found.measurement[0], 4.7, 1e-14);
  EXPECT_NEAR(found.standard_error[0], spread_error(episodes), 1e-14);
  const Vector weights{{1.6 * 1.2, 0.4 * 0.8, 1.6, 1.6 * 1.2}};
  EXPECT_NEAR(found.effective_episodes, std::pow(weights.sum(), 2) / weights.squaredNorm(), 1e-13);
}

TEST(OffPolicy, WeightedImportanceByHand) {
  const OffPolicyEstimate found =
      estimate_from(hand_dataset(), OffPolicyMethod::weighted_importance, *hand_policy());
  // The third episode is over after one step and keeps its weight.
  const Vector w0{{1.6, 0.4, 1.6, 1.6}}, w1{{1.92, 0.32, 1.6, 1.92}};
  const Vector c0{{1, 3, 5, 1}}, c1{{2, 4, 0, 4}};
  const double mean0 = 12.4 / 5.2, mean1 = 12.8 / 5.76;
  EXPECT_NEAR(found.measurement[0], mean0 + 0.5 * mean1, 1e-14);
  const Vector influence = w0.cwiseProduct((c0.array() - mean0).matrix()) / 5.2 +
                           0.5 * w1.cwiseProduct((c1.array() - mean1).matrix()) / 5.76;
  EXPECT_NEAR(found.standard_error[0], std::sqrt(influence.squaredNorm() * 4 / 3), 1e-14);
}

TEST(OffPolicy, DoublyRobustByHand) {
  const OffPolicyEstimate found =
      estimate_from(hand_dataset(), OffPolicyMethod::doubly_robust, *hand_policy());
  // Values from the second and fourth episode for the first and third: V(1) = 4, Q(0, 0) = 3, V(0) = 3.4.
  const double first = 3.4 + 1.6 * (1 + 0.5 * (4 + 1.2 * (2 - 4)) - 3), third = 3.4 + 1.6 * (5 - 3);
  // And the other way round, where action 1 was never taken: 2.5 a step, the middle of 0 to 5.
  const double v1 = 0.6 * 2 + 0.4 * 2.5, q00 = 3 + 0.5 * 0.5 * v1, q01 = 2.5 * 1.5;
  const double v0 = 0.8 * q00 + 0.2 * q01;
  const double second = v0 + 0.4 * (3 + 0.5 * (v1 + 0.8 * (4 - 2.5)) - q01);
  const double fourth = v0 + 1.6 * (1 + 0.5 * (v1 + 1.2 * (4 - 2)) - q00);
  EXPECT_NEAR(found.measurement[0], 3.81, 1e-14);
  EXPECT_NEAR(found.standard_error[0], spread_error(Vector{{first, second, third, fourth}}), 1e-14);
}

/// The empirical world written out as a model: every recorded transition is an outcome of its own.
TabularModel written_out(const Dataset& dataset) {
  std::map<std::pair<int, int>, std::vector<int>> recorded;
  for (int i = 0; i < dataset.size(); ++i) recorded[{dataset.state[i], dataset.action[i]}].push_back(i);
  TabularModel model;
  model.measurements = dataset.measurements;
  model.discount = dataset.discount;
  model.horizon = dataset.horizon;
  const int over = dataset.states;  // one terminal state for all ends
  for (int s = 0; s < dataset.states; ++s) {
    std::vector<std::vector<Outcome>> choices;
    for (int a = 0; a < dataset.actions; ++a) {
      const std::vector<int>& all = recorded[{s, a}];
      std::vector<Outcome> outcomes;
      outcomes.reserve(all.size());
      for (const int i : all) {
        outcomes.push_back({dataset.terminated[i] ? over : dataset.next_state[i],
                            1.0 / static_cast<double>(all.size()), dataset.measurement.col(i)});
      }
      if (all.empty()) outcomes.push_back({over, 1, Vector::Zero(dataset.dim())});
      choices.push_back(outcomes);
    }
    add_state(model, choices);
  }
  add_state(model, {});
  model.start = Vector::Zero(over + 1);
  for (int e = 0; e < dataset.episodes(); ++e)
    model.start[dataset.state[dataset.episode_begin[e]]] += 1.0 / dataset.episodes();
  return model;
}

/// Random probabilities in all these states, and none in a terminal one behind them.
PolicyPtr full_policy(int states, int actions, Rng rng) {
  std::vector<std::int32_t> begin = {0};
  std::vector<double> probabilities;
  for (int s = 0; s < states; ++s) {
    Vector row(actions);
    for (double& p : row) p = 0.1 + rng.uniform();
    row /= row.sum();
    probabilities.insert(probabilities.end(), row.begin(), row.end());
    begin.push_back(static_cast<int>(probabilities.size()));
  }
  begin.push_back(begin.back());
  return TabularPolicy::randomized(begin, probabilities);
}

/// A random model in which every state has three actions, so that any policy over three fits.
TabularModel even_model(double discount, int horizon, Rng rng) {
  TabularModel model;
  model.measurements = {"a", "b"};
  model.discount = discount;
  model.horizon = horizon;
  constexpr int kStates = 5;
  for (int s = 0; s + 1 < kStates; ++s) {
    std::vector<std::vector<Outcome>> choices;
    for (int a = 0; a < 3; ++a) {
      const double p = 0.8 * rng.uniform();
      choices.push_back({{static_cast<int>(rng.below(kStates)), p, rng.normal_vector(2)},
                         {static_cast<int>(rng.below(kStates - 1)), 0.8 - p, rng.normal_vector(2)},
                         {kStates - 1, 0.2, rng.normal_vector(2)}});
    }
    add_state(model, choices);
  }
  add_state(model, {});
  model.start = Vector{{0.5, 0, 0.5, 0, 0}};
  return model;
}

TEST(OffPolicy, FittedQIsTheValueInTheEmpiricalWorld) {
  struct Case {
    double discount;
    int horizon;
    bool restless;
  };
  for (const Case& c : {Case{0.9, 7, false}, {1, 7, false}, {0.9, 0, false}, {1, 0, false}, {0.9, 7, true}}) {
    const TabularModel model = even_model(c.discount, c.horizon, Rng(7));
    const Dataset dataset = sampled_dataset(model, *mild_policy(model, Rng(8)), 200, Rng(9));
    const TabularModel shown = written_out(dataset);
    validate(shown);
    const PolicyPtr policy =
        c.restless ? restless_policy(shown, Rng(10)) : full_policy(model.states, 3, Rng(10));
    const OffPolicyEstimate found = estimate_from(dataset, OffPolicyMethod::fitted_q, *policy);
    EXPECT_EQ(found.unsupported, 0);
    const Evaluation exact = evaluate(shown, *policy);
    EXPECT_NEAR((found.measurement - exact.measurement).norm(), 0, 1e-12)
        << c.discount << " " << c.horizon << " " << c.restless;
    EXPECT_TRUE(found.standard_error.allFinite());
  }
}

TEST(OffPolicy, BehaviourItselfIsThePlainMean) {
  const TabularModel model = short_model(1);
  const PolicyPtr behaviour = mild_policy(model, Rng(2));
  const Dataset dataset = sampled_dataset(model, *behaviour, 50, Rng(3));
  Matrix sums = Matrix::Zero(2, 50);
  for (int e = 0; e < 50; ++e) {
    for (int t = 0; t < dataset.length(e); ++t)
      sums.col(e) += std::pow(0.95, t) * dataset.measurement.col(dataset.episode_begin[e] + t);
  }
  for (const OffPolicyMethod method : {OffPolicyMethod::importance, OffPolicyMethod::weighted_importance}) {
    const OffPolicyEstimate found = estimate_from(dataset, method, *behaviour);
    EXPECT_NEAR((found.measurement - sums.rowwise().mean()).norm(), 0, 1e-13);
    EXPECT_NEAR(found.standard_error[0], spread_error(sums.row(0).transpose()), 1e-13);
    EXPECT_NEAR(found.standard_error[1], spread_error(sums.row(1).transpose()), 1e-13);
    EXPECT_NEAR(found.effective_episodes, 50, 1e-11);
  }
}

TEST(OffPolicy, FittedQIsExactInADeterministicWorld) {
  const TabularModel model = navigation_model();
  const Dataset dataset = sampled_dataset(model, *mild_policy(model, Rng(1)), 400, Rng(2));
  validate(dataset);
  const OffPolicyEvaluator evaluator(std::make_shared<const Dataset>(dataset), {.deterministic = true});
  // Up, then right for good: a loop that only the horizon ends. And around the walls to the goal.
  std::vector<std::int32_t> loop(model.states, 0), around(model.states, 1);
  for (int s = 0; s < kNavigationColumns; ++s) loop[s] = 1;
  around[27] = around[18] = around[9] = 0;
  around[8] = around[17] = around[26] = 2;
  for (const auto& actions : {loop, around}) {
    const PolicyPtr policy = TabularPolicy::deterministic(actions);
    const OffPolicyEstimate found = evaluator.estimate(OffPolicyMethod::fitted_q, *policy);
    EXPECT_NEAR((found.measurement - evaluate(model, *policy).measurement).norm(), 0, 1e-12);
    EXPECT_EQ(found.standard_error, Vector::Zero(2));
    EXPECT_EQ(found.unsupported, 0);
  }
  const PolicyPtr endless = TabularPolicy::deterministic(loop);
  EXPECT_NEAR(evaluator.estimate(OffPolicyMethod::fitted_q, *endless).measurement[0], 500, 1e-12);
  // That nothing else ever happened does not say that nothing else can.
  const OffPolicyEstimate open = estimate_from(dataset, OffPolicyMethod::fitted_q, *endless);
  EXPECT_GT(open.standard_error.minCoeff(), 0);
}

TEST(OffPolicy, AnActionNeverTakenCountsTheMiddleAndWidensTheError) {
  // In state 1 the policy takes action 1 with probability 0.25; the data never does.
  Dataset dataset = hand_dataset();
  dataset.action[3] = 0;
  dataset.horizon = 3;
  dataset.next_state[3] = 2;
  dataset.terminated[3] = 1;
  dataset.truncated[3] = 0;
  const PolicyPtr policy = TabularPolicy::randomized({0, 2, 4, 4}, {1, 0, 0.75, 0.25});
  const OffPolicyEstimate found = estimate_from(dataset, OffPolicyMethod::fitted_q, *policy);
  // Two steps are left after the first, each between 0 and 5: 2.5 * 1.5 is the middle, and the reach.
  const double mean10 = (2 + 4 + 4) / 3.0, unknown = 2.5 * 1.5;
  EXPECT_NEAR(found.measurement[0], 7 / 3.0 + 0.5 * 2 / 3 * (0.75 * mean10 + 0.25 * unknown), 1e-14);
  const double visits = 1 + 0.5 * 2 / 3, missing = 0.5 * 2 / 3 * 0.25;
  EXPECT_NEAR(found.unsupported, missing / visits, 1e-14);
  EXPECT_GE(found.standard_error[0], missing * unknown);

  // Nothing bounds the rest without horizon and discount.
  dataset.horizon = 0;
  dataset.discount = 1;
  EXPECT_EQ(estimate_from(dataset, OffPolicyMethod::fitted_q, *policy).standard_error[0], kInfinity);
}

TEST(OffPolicy, APolicyThatNoEpisodeFollowsHasAWideError) {
  const TabularModel model = even_model(1, 4, Rng(1));
  const Dataset dataset =
      sampled_dataset(model,
                      *TabularPolicy::randomized(model.choice_begin,
                                                 [&] {
                                                   std::vector<double> rows;
                                                   for (int s = 0; s + 1 < model.states; ++s)
                                                     rows.insert(rows.end(), {0.5, 0.5, 0});
                                                   return rows;
                                                 }()),
                      30, Rng(2));
  const PolicyPtr other = TabularPolicy::deterministic(std::vector<std::int32_t>(model.states, 2));
  const double low = std::min(0.0, dataset.measurement.row(0).minCoeff());
  const double high = std::max(0.0, dataset.measurement.row(0).maxCoeff());
  for (const OffPolicyMethod method : kMethods) {
    const OffPolicyEstimate found = estimate_from(dataset, method, *other);
    EXPECT_EQ(found.unsupported, 1) << to_string(method);
    EXPECT_GE(found.standard_error[0], 4 * (high - low) / 2 - 1e-12) << to_string(method);
    EXPECT_EQ(found.effective_episodes, method == OffPolicyMethod::fitted_q ? 30 : 0);
    if (method != OffPolicyMethod::importance) {
      EXPECT_NEAR(found.measurement[0], 4 * (high + low) / 2, 1e-12) << to_string(method);
    }
  }
}

// Ratios of 1e3 and 1e-3 over 400 steps: products leave the range of numbers both ways, shares do not.
TEST(OffPolicy, LongEpisodesKeepTheirWeights) {
  Dataset dataset;
  dataset.measurements = {"cost"};
  dataset.horizon = 400;
  dataset.states = 1;
  dataset.actions = 2;
  for (int e = 0; e < 3; ++e) {
    for (int t = 0; t < 400; ++t) {
      dataset.state.push_back(0);
      dataset.next_state.push_back(0);
      dataset.action.push_back(0);
      dataset.probability.push_back(e == 2 ? 1 : 0.5);
      dataset.terminated.push_back(0);
      dataset.truncated.push_back(t == 399);
    }
    dataset.episode_begin.push_back(dataset.size());
  }
  dataset.measurement = Matrix::Ones(1, 1200);
  dataset.measurement.leftCols(400) *= 2;
  const PolicyPtr rare = TabularPolicy::randomized({0, 2}, {0.001, 0.999});
  const OffPolicyEstimate found = estimate_from(dataset, OffPolicyMethod::weighted_importance, *rare);
  // Step t: the first two count the same, the third 2^-t of that.
  double expected = 0;
  for (int t = 1; t <= 400; ++t) expected += (3 + std::pow(0.5, t)) / (2 + std::pow(0.5, t));
  EXPECT_NEAR(found.measurement[0], expected, 1e-10);
  EXPECT_NEAR(found.effective_episodes, 2, 1e-12);
  EXPECT_TRUE(found.standard_error.allFinite());
}

TEST(OffPolicy, ErrorsSayWhatIsWrong) {
  const TabularModel model = even_model(0.9, 0, Rng(1));
  const Dataset dataset = sampled_dataset(model, *mild_policy(model, Rng(2)), 40, Rng(3));
  TabularModel timed = model;
  timed.horizon = 3;
  EXPECT_THROW(estimate_from(dataset, OffPolicyMethod::fitted_q, *restless_policy(timed, Rng(4))),
               InputError);
  const PolicyPtr small = TabularPolicy::deterministic(std::vector<std::int32_t>(2, 0));
  EXPECT_THROW(estimate_from(dataset, OffPolicyMethod::fitted_q, *small), InputError);

  Dataset unfinished = hand_dataset();
  unfinished.horizon = 0;
  unfinished.discount = 1;
  unfinished.terminated.assign(7, 0);
  EXPECT_THROW(estimate_from(unfinished, OffPolicyMethod::importance, *hand_policy()), InputError);

  Dataset endless = hand_dataset();
  endless.horizon = 0;
  endless.discount = 1;
  endless.next_state = {1, 0, 1, 0, 1, 1, 0};
  endless.terminated.assign(7, 0);
  endless.truncated.assign(7, 0);
  EXPECT_THROW(estimate_from(endless, OffPolicyMethod::fitted_q, *hand_policy()), InputError);

  EXPECT_THROW(off_policy_method_from_string("fited-q"), InputError);
  for (const OffPolicyMethod method : kMethods)
    EXPECT_EQ(off_policy_method_from_string(to_string(method)), method);
}

}  // namespace
}  // namespace c2rl
