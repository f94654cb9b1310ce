#include "c2rl/mdp/evaluate.h"

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

/// The policy's transition matrix and expected measurements at a step, written out densely.
struct DenseChain {
  Matrix transitions, measurements;

  DenseChain(const TabularModel& model, const Policy& policy, int step)
      : transitions(Matrix::Zero(model.states, model.states)),
        measurements(Matrix::Zero(model.dim(), model.states)) {
    Matrix column(model.max_actions(), 1);
    for (int s = 0; s < model.states; ++s) {
      if (model.is_terminal(s)) continue;
      policy.action_probabilities(std::vector<int>{s}, step, column);
      for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
          const double p = column(k - model.choice_begin[s]) * model.probability[e];
          transitions(s, model.next[e]) += p;
          measurements.col(s) += p * model.measurement.col(e);
        }
      }
    }
  }
};

/// J by backward induction over the horizon, or by a dense linear solve without one.
Vector dense_evaluation(const TabularModel& model, const Policy& policy) {
  if (model.horizon == 0) {
    const DenseChain chain(model, policy, 0);
    const Matrix system = Matrix::Identity(model.states, model.states) - model.discount * chain.transitions;
    return (system.fullPivLu().solve(chain.measurements.transpose())).transpose() * model.start;
  }
  Matrix values = Matrix::Zero(model.dim(), model.states);
  for (int step = model.horizon - 1; step >= 0; --step) {
    const DenseChain chain(model, policy, step);
    values = (chain.measurements + model.discount * values * chain.transitions.transpose()).eval();
  }
  return values * model.start;
}

TEST(Evaluate, KnownPathsOfTheNavigationTask) {
  const TabularModel model = navigation_model();
  std::vector<std::int32_t> actions(model.states, 1);  // right, right, ...
  Evaluation result = evaluate(model, *TabularPolicy::deterministic(actions));
  EXPECT_EQ(result.measurement, (Vector{{8, 4}}));
  EXPECT_EQ(result.steps, 8);
  EXPECT_LE(result.error, 1e-12);
  actions.assign(model.states, 3);  // into the wall on the left
  EXPECT_EQ(evaluate(model, *TabularPolicy::deterministic(actions)).measurement, (Vector{{500, 0}}));
}

TEST(Evaluate, MatchesDenseAlgebraOnRandomModels) {
  for (int seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    GarnetOptions options{.states = 2 + static_cast<int>(rng.below(20))};
    if (seed % 3 == 0) options.horizon = 1 + static_cast<int>(rng.below(30));
    if (seed % 3 == 1) options.end_probability = 0;
    options.discount = seed % 3 == 2 ? 1.0 : 0.95;
    const TabularModel model = garnet_model(options, rng.fork("model"));
    validate(model);
    const PolicyPtr policy = options.horizon > 0 && seed % 2 ? restless_policy(model, rng.fork("policy"))
                                                             : random_policy(model, rng.fork("policy"));
    const Evaluation result = evaluate(model, *policy);
    const Vector expected = dense_evaluation(model, *policy);
    const double scale = 1 + expected.norm();
    EXPECT_LE((result.measurement - expected).norm(), 1e-12 * scale) << seed;
    EXPECT_LE(result.error, 1e-10 * scale) << seed;
  }
}

// Where many states are occupied, a policy of actions is followed backward; the same one, written down as probabilities,
// forward.
TEST(Evaluate, BackwardAsForward) {
  constexpr int kStates = 3000, kHorizon = 12;
  for (const double end_probability : {0.0, 0.1}) {
    for (const double discount : {1.0, 0.9}) {
      TabularModel model = garnet_model(
          {.states = kStates, .actions = 3, .end_probability = end_probability, .discount = discount},
          Rng(1));
      model.horizon = kHorizon;
      model.start = Vector::Constant(kStates, 1.0 / kStates);
      for (const bool changes : {false, true}) {
        // With changes: two runs of every other state.
        Rng rng(2);
        PolicyRuns runs;
        std::vector<std::int32_t> actions, row_begin = {0};
        std::vector<double> probabilities;
        if (changes) runs.begin = {0};
        for (int s = 0; s < kStates; ++s) {
          for (int r = 0; r < (changes && s % 2 == 0 ? 2 : 1); ++r) {
            actions.push_back(model.is_terminal(s) ? 0
                                                   : static_cast<std::int32_t>(rng.below(model.actions(s))));
            for (int a = 0; a < 3; ++a) probabilities.push_back(a == actions.back() ? 1 : 0);
            row_begin.push_back(static_cast<std::int32_t>(probabilities.size()));
            if (changes) runs.first_step.push_back(r == 0 ? 0 : 1 + s % (kHorizon - 1));
          }
          if (changes) runs.begin.push_back(static_cast<std::int32_t>(actions.size()));
        }
        const Evaluation backward = evaluate(model, *TabularPolicy::deterministic(actions, runs));
        const Evaluation forward =
            evaluate(model, *TabularPolicy::randomized(row_begin, probabilities, runs));
        EXPECT_LE((backward.measurement - forward.measurement).lpNorm<Eigen::Infinity>(),
                  backward.error + forward.error);
        EXPECT_LE(backward.error, 1e-11);
        EXPECT_NEAR(backward.steps, forward.steps, 1e-11);
      }
    }
  }
}

TEST(Evaluate, LongChainIsSolvedStateByState) {
  // 200 000 states in a row, each going on with probability 1/2 or back to itself: 2 expected steps each.
  constexpr int kLength = 200'000;
  TabularModel model;
  model.measurements = {"steps"};
  model.states = kLength + 1;
  for (int s = 0; s < kLength; ++s) {
    model.next.insert(model.next.end(), {s, s + 1});
    model.probability.insert(model.probability.end(), {0.5, 0.5});
    model.transition_begin.push_back(2 * s + 2);
    model.choice_begin.push_back(s + 1);
  }
  model.choice_begin.push_back(kLength);
  model.measurement = Matrix::Ones(1, Eigen::Index{2} * kLength);
  model.start = Vector::Unit(model.states, 0);
  validate(model);
  const Evaluation result =
      evaluate(model, *TabularPolicy::deterministic(std::vector<std::int32_t>(model.states, 0)));
  EXPECT_EQ(result.measurement[0], 2.0 * kLength);
}

TEST(FixedPoint, LargeComponentsAreIteratedToRounding) {
  // A ring larger than what is factorised: x_i = 1 + 0.9 x_{i+1} has the solution 10 everywhere.
  constexpr int kSize = 30'000;
  SparseRows ring;
  for (int i = 0; i < kSize; ++i) {
    ring.column.push_back((i + 1) % kSize);
    ring.value.push_back(0.9);
    ring.begin.push_back(i + 1);
  }
  EXPECT_EQ(components(ring).size(), 1);
  const Vector ones = Vector::Ones(kSize);
  const Vector x = solve_fixed_point(ring, ones);
  EXPECT_LE((x.array() - 10).abs().maxCoeff(), 1e-12);
  EXPECT_LE(residual_bound(ring, ones, x).maxCoeff(), 1e-13);
}

TEST(FixedPoint, ComponentsComeAfterWhatTheyLeadTo) {
  // 0 -> 1 <-> 2 -> 3, and 4 alone.
  SparseRows graph{{0, 1, 2, 4, 4, 4}, {1, 2, 1, 3}, {1, 1, 1, 1}};
  const Components parts = components(graph);
  EXPECT_EQ(parts.begin, (std::vector<std::int32_t>{0, 1, 3, 4, 5}));
  EXPECT_EQ(parts.members, (std::vector<std::int32_t>{3, 2, 1, 0, 4}));
}

TEST(MonteCarlo, AgreesWithExactEvaluation) {
  for (int seed = 0; seed < 24; ++seed) {
    Rng rng(seed);
    GarnetOptions options{.states = 12, .horizon = seed % 3 == 0 ? 10 : 0};
    options.discount = seed % 3 == 1 ? 0.9 : 1.0;
    options.end_probability = seed % 3 == 1 ? 0.0 : 0.1;
    const TabularModel model = garnet_model(options, rng.fork("model"));
    const MixedPolicy policy(Vector{{0.3, 0.7}},
                             {random_policy(model, rng.fork("a")), random_policy(model, rng.fork("b"))});
    const Estimate single = estimate(make_world(model), policy.policy(0), 2000, rng.fork("single"));
    const Estimate mixed = estimate(make_world(model), policy, 2000, rng.fork("mixed"));
    const Vector off_single = single.measurement - evaluate(model, policy.policy(0)).measurement;
    const Vector off_mixed = mixed.measurement - evaluate(model, policy).measurement;
    for (int i = 0; i < model.dim(); ++i) {
      EXPECT_LE(std::abs(off_single[i]), 5 * single.standard_error[i]) << seed;
      EXPECT_LE(std::abs(off_mixed[i]), 5 * mixed.standard_error[i]) << seed;
      EXPECT_GT(single.standard_error[i], 0);
    }
    EXPECT_EQ(single.terminated + single.truncated, 2000);
    if (seed % 3 == 2) {
      EXPECT_EQ(single.truncated, 0);
    }
  }
}

TEST(MonteCarlo, DeterministicEpisodesHaveNoError) {
  TabularModel model = navigation_model();
  model.measurement.row(0) *= 0.1;  // sums that are not exact in binary
  const auto policy = TabularPolicy::deterministic(std::vector<std::int32_t>(model.states, 1));
  const Estimate result = estimate(make_world(model), *policy, 100, Rng(1));
  EXPECT_EQ(result.standard_error, Vector::Zero(2));
  EXPECT_NEAR(result.measurement[0], 0.8, 1e-15);
  EXPECT_EQ(result.terminated, 100);
  EXPECT_EQ(result.truncated, 0);
  EXPECT_EQ(result.env_steps, 800);
}

TEST(MonteCarlo, TruncationIsNotTermination) {
  const TabularModel model = navigation_model();
  const auto into_the_wall = TabularPolicy::deterministic(std::vector<std::int32_t>(model.states, 3));
  const Estimate result = estimate(make_world(model), *into_the_wall, 10, Rng(1));
  EXPECT_EQ(result.terminated, 0);
  EXPECT_EQ(result.truncated, 10);
  EXPECT_EQ(result.env_steps, 5000);
}

TEST(MonteCarlo, SameResultOnAnyNumberOfThreads) {
  const TabularModel model = garnet_model({.states = 30}, Rng(3));
  const PolicyPtr policy = random_policy(model, Rng(4));
  std::vector<Estimate> results;
  for (const int threads : {1, 2, 7}) {
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    results.push_back(estimate(make_world(model), *policy, 3000, Rng(5)));
  }
  for (const Estimate& result : results) {
    EXPECT_EQ(result.measurement, results[0].measurement);
    EXPECT_EQ(result.standard_error, results[0].standard_error);
    EXPECT_EQ(result.env_steps, results[0].env_steps);
  }
}

TEST(MonteCarlo, TotalsAreWhatTheEstimateIsMadeOf) {
  Rng rng(7);
  const TabularModel model = garnet_model({.states = 6, .discount = 0.9}, rng.fork("model"));
  const World world = make_world(model);
  const PolicyPtr policy = random_policy(model, rng.fork("policy"));
  const EpisodeTotals all = episode_totals(world, *policy, 0, 600, rng);
  const Estimate expected = estimate(world, *policy, 600, rng);
  EXPECT_LE((all.totals.rowwise().mean() - expected.measurement).norm(), 1e-12);
  EXPECT_EQ(all.env_steps, expected.env_steps);
  EXPECT_EQ(all.terminated, expected.terminated);
  EXPECT_EQ(all.truncated, expected.truncated);
  // Episodes are what they are by their number, whatever runs beside them.
  const EpisodeTotals last = episode_totals(world, *policy, 250, 350, rng);
  EXPECT_EQ(last.totals, all.totals.rightCols(350));
  EXPECT_EQ(episode_totals(world, *policy, 250, 0, rng).totals.cols(), 0);
  EXPECT_EQ(episode_totals(world, *policy, 3'000'000'000, 1, rng).totals.cols(), 1);
}

}  // namespace
}  // namespace c2rl
