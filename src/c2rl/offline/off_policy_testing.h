#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/offline/dataset_testing.h"
#include "c2rl/offline/off_policy.h"

namespace c2rl {

inline constexpr OffPolicyMethod kMethods[] = {OffPolicyMethod::fitted_q, OffPolicyMethod::importance,
                                               OffPolicyMethod::weighted_importance,
                                               OffPolicyMethod::doubly_robust};

inline OffPolicyEstimate estimate_from(const Dataset& dataset, OffPolicyMethod method, const Policy& policy,
                                       const KnownWorld& known = {}) {
  validate(dataset);
  return OffPolicyEvaluator(std::make_shared<const Dataset>(dataset), known).estimate(method, policy);
}

/// Random probabilities, none below 1 / (2 actions), so that no ratio of two such policies is large.
inline PolicyPtr mild_policy(const TabularModel& model, Rng rng) {
  std::vector<double> probabilities(model.choices());
  for (int s = 0; s < model.states; ++s) {
    double sum = 0;
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k)
      sum += probabilities[k] = rng.uniform();
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k)
      probabilities[k] = (probabilities[k] / sum + 1.0 / model.actions(s)) / 2;
  }
  return TabularPolicy::randomized(model.choice_begin, probabilities);
}

/// Short episodes: the weights of whole ones stay moderate.
inline TabularModel short_model(std::uint64_t seed) {
  return garnet_model({.states = 6, .end_probability = 0.15, .discount = 0.95, .horizon = 6}, Rng(seed));
}

/// The standard error of the mean of independent values.
inline double spread_error(const Vector& values) {
  const double n = static_cast<double>(values.size());
  return std::sqrt((values.array() - values.mean()).square().sum() / (n * (n - 1)));
}

}  // namespace c2rl
