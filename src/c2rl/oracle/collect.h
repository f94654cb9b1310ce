#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "c2rl/mdp/dataset.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/a2c.h"

namespace c2rl {

/// All that an agent does while it learns: trained from scratch for each of the directions in turn, with an
/// equal share of the samples, from its first random steps to its last confident ones. Exactly `samples`
/// transitions, at least one per direction; episodes that were going on when a training ended are cut there.
/// `watch` is told now and then how much is done, and stops it with an OracleInterrupted by returning false.
Dataset collect(const World& world, const A2cOptions& options, const std::vector<Vector>& directions,
                std::int64_t samples, const Rng& rng, const std::function<bool(double part)>& watch);

}  // namespace c2rl
