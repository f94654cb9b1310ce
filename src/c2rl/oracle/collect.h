#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/mdp/world.h"
#include "c2rl/offline/dataset.h"
#include "c2rl/oracle/actor_critic_oracle.h"
#include "c2rl/oracle/oracle.h"

namespace c2rl {

/// All that an agent does while it learns: trained from scratch for each of the directions in turn, with an
/// equal share of the samples, from its first random steps to its last confident ones. Exactly `samples`
/// transitions, at least one per direction; episodes that were going on when a training ended are cut there.
/// An OracleInterrupted when the watcher asks to stop.
Dataset collect(const World& world, const ActorCriticOptions& options, const std::vector<Vector>& directions,
                std::int64_t samples, const Rng& rng, const OracleWatcher& watcher = {});

/// The agent that belongs to an oracle: its own where it acts itself, else one with the default options.
ActorCriticOptions agent_of(const Oracle& oracle);

}  // namespace c2rl
