#include <cmath>
#include <iostream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/offline/off_policy_testing.h"

namespace c2rl {
namespace {

TEST(OffPolicyStatistics, ImportanceAndDoublyRobustAreUnbiased) {
  constexpr int kDatasets = 400, kEpisodes = 20;  // few episodes: what bias there were would show
  for (const bool restless : {false, true}) {
    const TabularModel model = short_model(4);
    const PolicyPtr behaviour = mild_policy(model, Rng(5));
    const PolicyPtr target = restless ? restless_policy(model, Rng(6)) : mild_policy(model, Rng(6));
    const Vector exact = evaluate(model, *target).measurement;
    for (const OffPolicyMethod method : {OffPolicyMethod::importance, OffPolicyMethod::doubly_robust}) {
      Matrix found(2, kDatasets);
      for (int i = 0; i < kDatasets; ++i) {
        found.col(i) =
            estimate_from(sampled_dataset(model, *behaviour, kEpisodes, Rng(100).fork("dataset", i)), method,
                          *target)
                .measurement;
      }
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(found.row(j).mean(), exact[j], 4 * spread_error(found.row(j).transpose()))
            << to_string(method) << (restless ? ", restless" : "");
      }
    }
  }
}

TEST(OffPolicyStatistics, ErrorsFallWithData) {
  const TabularModel model = short_model(4);
  const PolicyPtr behaviour = mild_policy(model, Rng(5)), target = mild_policy(model, Rng(6));
  const Vector exact = evaluate(model, *target).measurement;
  for (const OffPolicyMethod method : kMethods) {
    const auto error = [&](int episodes) {
      double squares = 0;
      for (int i = 0; i < 30; ++i) {
        const Dataset dataset = sampled_dataset(model, *behaviour, episodes, Rng(200).fork("dataset", i));
        squares += (estimate_from(dataset, method, *target).measurement - exact).squaredNorm();
      }
      return std::sqrt(squares / 30);
    };
    // 64 times the data: a spread of an eighth.
    EXPECT_LT(error(3200), error(50) / 5) << to_string(method);
  }
}

// The intervals are those of normal distributions, which sums over many independent transitions and episodes
// nearly have. For weighted episodes that takes an effective size in the hundreds; these short ones have it.
TEST(OffPolicyStatistics, IntervalsCoverAsTheySay) {
  constexpr int kDatasets = 200, kEpisodes = 1500;
  for (const bool restless : {false, true}) {
    const TabularModel model = short_model(4);
    const PolicyPtr behaviour = mild_policy(model, Rng(5));
    const PolicyPtr target = restless ? restless_policy(model, Rng(6)) : mild_policy(model, Rng(6));
    const Vector exact = evaluate(model, *target).measurement;
    std::map<OffPolicyMethod, int> covered;
    double effective = 0;
    for (int i = 0; i < kDatasets; ++i) {
      const Dataset dataset = sampled_dataset(model, *behaviour, kEpisodes, Rng(300).fork("dataset", i));
      const OffPolicyEvaluator evaluator(std::make_shared<const Dataset>(dataset));
      for (const OffPolicyMethod method : kMethods) {
        const OffPolicyEstimate found = evaluator.estimate(method, *target);
        if (method == OffPolicyMethod::importance) effective += found.effective_episodes / kDatasets;
        for (int j = 0; j < 2; ++j)
          covered[method] += std::abs(found.measurement[j] - exact[j]) <= 1.96 * found.standard_error[j];
      }
    }
    EXPECT_GT(effective, 100);
    for (const OffPolicyMethod method : kMethods) {
      const double coverage = covered[method] / (2.0 * kDatasets);
      std::cout << fmt::format("coverage of 95%: {:.3f} {}, effective size {:.0f}\n", coverage,
                               to_string(method), effective);
      EXPECT_GE(coverage, 0.88) << to_string(method);
    }
  }
}

// What was seen a few times shows less spread than there is, often none. bench/coverage_bench.cc has the same
// with learned policies.
TEST(OffPolicyStatistics, IntervalsFromFewEpisodesAllowForWhatTheyDoNotShow) {
  constexpr int kDatasets = 500, kSteps = 5;
  constexpr double kFall = 0.05;
  TabularModel model;
  model.measurements = {"fallen"};
  for (int s = 0; s < kSteps; ++s)
    add_state(model, {{{s + 1, 1 - kFall, Vector{{0.0}}}, {kSteps, kFall, Vector{{1.0}}}}});
  add_state(model, {});
  model.start = Vector::Unit(kSteps + 1, 0);
  const PolicyPtr policy = TabularPolicy::deterministic(std::vector<std::int32_t>(kSteps + 1, 0));
  const double exact = evaluate(model, *policy).measurement[0];
  ASSERT_NEAR(exact, 1 - std::pow(1 - kFall, kSteps), 1e-12);
  // Somewhere in the data somebody has fallen, so it is known that it can happen.
  const Dataset elsewhere = sampled_dataset(model, *policy, 200, Rng(1));
  double missed = 0, missed_by_spread = 0;
  for (int i = 0; i < kDatasets; ++i) {
    const Dataset dataset = sampled_dataset(model, *policy, 10, Rng(400).fork("dataset", i));
    const auto misses = [&](const KnownWorld& known) {
      const OffPolicyEstimate found = estimate_from(dataset, OffPolicyMethod::fitted_q, *policy, known);
      return exact > found.measurement[0] + 2.326 * found.standard_error[0] ? 1.0 / kDatasets : 0;
    };
    missed += misses({.steps = &elsewhere});
    missed_by_spread += misses({.deterministic = true});
  }
  EXPECT_LE(missed, 0.01);
  EXPECT_GT(missed_by_spread, 0.05);
}

}  // namespace
}  // namespace c2rl
