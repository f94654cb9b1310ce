#pragma once

#include <cstdint>

#include "c2rl/base/random.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/mixed_policy.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// What a policy measured on average over sampled episodes.
struct Estimate {
  Vector measurement;
  Vector standard_error;  // of each entry; exactly zero when all episodes measured the same
  int episodes = 0;       // terminated + truncated
  int terminated = 0;     // ended in a terminal state
  int truncated = 0;  // cut at the horizon; without one, where discounting has left nothing (kDiscountedTail)
  std::int64_t env_steps = 0;
};

/// Runs the episodes `first`, `first` + 1 and so on. Episode i draws from streams of its own, those of its
/// number, and is the same whatever is run beside it.
EpisodeTotals episode_totals(const World& world, const Policy& policy, std::int64_t first, int count,
                             const Rng& rng, const Pulse& listener = {});

/// What they measured on average; the standard error is zero for one episode.
Estimate summarise(const EpisodeTotals& episodes);

/// Runs fresh episodes, at least 2. Episode i draws from its own stream, so the result is the same on any
/// number of threads, and more episodes extend fewer.
Estimate estimate(const World& world, const Policy& policy, int episodes, const Rng& rng);

/// Every episode follows one policy drawn at its start.
Estimate estimate(const World& world, const MixedPolicy& policy, int episodes, const Rng& rng);

}  // namespace c2rl
