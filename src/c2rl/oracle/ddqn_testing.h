#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "c2rl/mdp/policies_testing.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/offline/dataset_testing.h"
#include "c2rl/oracle/ddqn.h"

namespace c2rl {

/// Draws among the actions of each state, `first` and those after it, with equal probabilities.
inline PolicyPtr uniform_policy(const TabularModel& model, int first = 0) {
  std::vector<std::int32_t> row_begin = {0};
  std::vector<double> probabilities;
  for (int s = 0; s < model.states; ++s) {
    const int actions = model.actions(s);
    for (int a = 0; a < actions; ++a) probabilities.push_back(a < first ? 0.0 : 1.0 / (actions - first));
    row_begin.push_back(static_cast<std::int32_t>(probabilities.size()));
  }
  return TabularPolicy::randomized(row_begin, probabilities);
}

inline std::shared_ptr<const Dataset> exploration(const TabularModel& model, int episodes,
                                                  int first_action = 0) {
  auto dataset = std::make_shared<Dataset>(
      sampled_dataset(model, *uniform_policy(model, first_action), episodes, Rng(7)));
  validate(*dataset);
  return dataset;
}

inline Ddqn oracle_for(const TabularModel& model, std::shared_ptr<const Dataset> dataset,
                       const DdqnOptions& options = {}) {
  const World world = make_world(model);
  return Ddqn(std::move(dataset), options, ActionCounts(world), world.deterministic);
}

}  // namespace c2rl
