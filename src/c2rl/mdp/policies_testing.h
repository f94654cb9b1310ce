#pragma once

#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {

/// Random action probabilities in every state, the same at all steps.
inline PolicyPtr random_policy(const TabularModel& model, Rng rng) {
  std::vector<double> probabilities(model.choices());
  for (int s = 0; s < model.states; ++s) {
    double sum = 0;
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k)
      sum += probabilities[k] = rng.uniform();
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) probabilities[k] /= sum;
  }
  return TabularPolicy::randomized(model.choice_begin, probabilities);
}

/// A different random action in every state and at every step of the horizon.
inline PolicyPtr restless_policy(const TabularModel& model, Rng rng) {
  PolicyRuns runs{{0}, {}};
  std::vector<std::int32_t> actions;
  for (int s = 0; s < model.states; ++s) {
    for (int step = 0; step < model.horizon; ++step) {
      actions.push_back(model.is_terminal(s) ? 0 : static_cast<int>(rng.below(model.actions(s))));
      runs.first_step.push_back(step);
    }
    runs.begin.push_back(static_cast<int>(actions.size()));
  }
  return TabularPolicy::deterministic(actions, runs);
}

/// All that a policy is made of, to be held against another's.
inline std::vector<std::byte> bytes_of(const Policy& policy) {
  std::vector<std::byte> all;
  for (const Tensor& array : policy.arrays()) all.insert(all.end(), array.bytes.begin(), array.bytes.end());
  return all;
}

}  // namespace c2rl
