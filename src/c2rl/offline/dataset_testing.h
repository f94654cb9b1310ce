#pragma once

#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/sampling.h"
#include "c2rl/offline/dataset.h"

namespace c2rl {

/// Whole episodes of a behaviour in a model, up to its horizon; without one, every policy ends.
inline Dataset sampled_dataset(const TabularModel& model, const Policy& behaviour, int episodes,
                               const Rng& rng) {
  Dataset dataset;
  dataset.measurements = model.measurements;
  dataset.discount = model.discount;
  dataset.horizon = model.horizon;
  dataset.states = model.states;
  dataset.actions = model.max_actions();
  const Sampler sampler(model);
  Matrix probabilities(dataset.actions, 1);
  std::vector<Vector> measured;
  for (int e = 0; e < episodes; ++e) {
    Rng stream = rng.fork("episode", e);
    int state = sampler.start(stream.uniform());
    for (int step = 0; !model.is_terminal(state) && (model.horizon == 0 || step < model.horizon); ++step) {
      behaviour.action_probabilities(std::vector<int>{state}, step, probabilities);
      const int action =
          draw({probabilities.data(), static_cast<std::size_t>(model.actions(state))}, stream.uniform());
      const int transition = sampler.transition(model.choice_begin[state] + action, stream);
      dataset.state.push_back(state);
      dataset.action.push_back(action);
      dataset.probability.push_back(probabilities(action, 0));
      measured.push_back(model.measurement.col(transition));
      state = model.next[transition];
      dataset.next_state.push_back(state);
      dataset.terminated.push_back(model.is_terminal(state));
      dataset.truncated.push_back(!model.is_terminal(state) && step + 1 == model.horizon);
    }
    dataset.episode_begin.push_back(dataset.size());
  }
  dataset.measurement.resize(model.dim(), dataset.size());
  for (int i = 0; i < dataset.size(); ++i) dataset.measurement.col(i) = measured[i];
  return dataset;
}

}  // namespace c2rl
