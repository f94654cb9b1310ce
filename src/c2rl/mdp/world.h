#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "c2rl/mdp/environment.h"
#include "c2rl/mdp/limits.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/model_part.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/mdp/world_shape.h"

namespace c2rl {

/// What each of some episodes measured in all.
struct EpisodeTotals {
  Matrix totals;  // a column per episode
  std::int64_t env_steps = 0;
  int terminated = 0, truncated = 0;  // as in Estimate
};

/// Where a problem takes place: its shape, and environments to act in.
struct World : WorldShape {
  int episode_limit = 0;  // the horizon; without one, where discounting has left nothing; 0: none
  /// One start, and steps without chance: a deterministic policy measures the same in every episode.
  bool deterministic = false;
  /// Some of its states are meant to end an episode; whether any of them can be reached is another question.
  bool has_goal = false;
  /// What an episode's total of each measurement can be, as the world says or the user of it; empty where
  /// nothing is known, infinite ends where one is not. See total_range.
  std::vector<TotalRange> ranges;
  /// A batch of episodes to act in.
  std::function<std::unique_ptr<Environment>(int batch)> environment;
  /// The same where several processes step it together, asked for and used on one thread; empty where there is one process.
  std::function<std::unique_ptr<Environment>(int batch)> spread_environment;
  /// What a learner acts in, whose episodes step together for long.
  std::unique_ptr<Environment> to_train_in(int batch) const {
    return spread_environment ? spread_environment(batch) : environment(batch);
  }
  /// Runs whole episodes, as episode_totals does, where nobody else can act.
  std::function<EpisodeTotals(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                              const Pulse& listener)>
      episodes;
  /// The probabilities behind it; null where it is known by acting in it only, and where no process holds all of it:
  std::shared_ptr<const TabularModel> model;
  /// part `index` of `of` of that model, for the rank of this number; empty where it is not in parts.
  std::function<ModelPart(int index, int of)> part;
};

/// The world of a model in parts, which nobody can act in: what is measured there, how many states it has, how long its
/// episodes are, and its parts.
World make_world(std::vector<std::string> measurements, int states, double discount, int horizon,
                 std::function<ModelPart(int index, int of)> part);
/// The world of a validated model.
World make_world(std::shared_ptr<const TabularModel> model);
/// The same for a model that outlives it.
World make_world(const TabularModel& model);
World make_world(TabularModel&& model) = delete;

}  // namespace c2rl
