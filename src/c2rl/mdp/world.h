#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "c2rl/mdp/environment.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// Where a problem takes place: what is measured there, what is seen, and environments to act in.
struct World {
  std::vector<std::string> measurements;  // their names
  double discount = 1;
  int horizon = 0;        // episodes are cut after this many steps; 0: never
  int episode_limit = 0;  // the horizon; without one, where discounting has left nothing; 0: none
  int states = 0;         // what is seen is the index of a state, below this ...
  int features = 0;       // ... or, where that is 0, this many real features
  int actions = 0;        // the most that a state has
  /// A batch of episodes to act in.
  std::function<std::unique_ptr<Environment>(int batch)> environment;
  /// The probabilities behind it; null where it is known by acting in it only.
  std::shared_ptr<const TabularModel> model;

  int dim() const { return static_cast<int>(measurements.size()); }
};

/// The world of a validated model.
World make_world(std::shared_ptr<const TabularModel> model);
/// The same for a model that outlives it.
World make_world(const TabularModel& model);
World make_world(TabularModel&& model) = delete;

}  // namespace c2rl
