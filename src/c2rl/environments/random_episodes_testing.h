#pragma once

#include <limits>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// Draws actions for the slots of an environment, uniformly where they are numbered.
class RandomActions {
 public:
  RandomActions(const World& world, const Environment& environment)
      : environment_(environment), actions_(world, environment.batch()) {}

  void draw(int slot, Rng& rng) {
    if (environment_.control_count() > 0) {
      for (float& entry : actions_.values.col(slot)) entry = static_cast<float>(rng.normal());
    } else {
      const int count = environment_.action_count(environment_.states()[slot]);
      actions_.indices[slot] = static_cast<int>(rng.below(count));
    }
  }
  /// Says what no environment would take.
  void spoil(int slot) {
    if (environment_.control_count() > 0) {
      actions_.values.col(slot).setConstant(std::numeric_limits<float>::quiet_NaN());
    } else {
      actions_.indices[slot] = -1;
    }
  }
  Actions view() const { return actions_.view(); }

 private:
  const Environment& environment_;
  ActionBatch actions_;
};

/// Everything that can be seen of a slot.
inline std::vector<double> seen(const Environment& environment, int slot) {
  std::vector<double> all = {double(environment.states()[slot]), double(environment.steps()[slot]),
                             double(environment.terminated(slot)), double(environment.truncated(slot))};
  for (const float feature : environment.features().col(slot)) all.push_back(feature);
  return all;
}

inline constexpr int kEpisodes = 24;
inline constexpr int kMostSteps = 50;  // of an episode that nothing ends

/// What is seen and measured in each of the first episodes under random actions, step by step. A new episode
/// takes the first slot that is free.
inline std::vector<std::vector<double>> run_episodes(const World& world, int batch) {
  const auto environment = world.environment(batch);
  RandomActions actions(world, *environment);
  std::vector<std::vector<double>> traces(kEpisodes);
  std::vector<int> episode(batch, -1);
  std::vector<Rng> deciders(batch, Rng(0));
  const auto note = [&](int slot) {
    const std::vector<double> now = seen(*environment, slot);
    std::vector<double>& trace = traces[episode[slot]];
    trace.insert(trace.end(), now.begin(), now.end());
    for (const double measured : environment->measurement().col(slot)) trace.push_back(measured);
    if (environment->ended(slot) || environment->steps()[slot] == kMostSteps) episode[slot] = -1;
  };
  for (int begun = 0, running = 1; running > 0;) {
    running = 0;
    for (int slot = 0; slot < batch; ++slot) {
      while (episode[slot] < 0 && begun < kEpisodes) {
        episode[slot] = begun++;
        environment->reset(slot, Rng(7).fork("episode", episode[slot]));
        deciders[slot] = Rng(7).fork("actions", episode[slot]);
        note(slot);
      }
      if (!environment->ended(slot)) actions.draw(slot, deciders[slot]);
      running += episode[slot] >= 0 ? 1 : 0;
    }
    environment->step(actions.view());
    for (int slot = 0; slot < batch; ++slot) {
      if (episode[slot] >= 0) note(slot);
    }
  }
  return traces;
}

}  // namespace c2rl
