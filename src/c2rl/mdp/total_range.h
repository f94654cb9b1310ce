#pragma once

#include "c2rl/base/vector.h"
#include "c2rl/mdp/limits.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// What combination . total of an episode can be, whatever the policy. Exact for a model whose horizon times
/// transitions can be gone through; else ends that hold, infinite ones where no other is known.
TotalRange total_range(const World& world, const Vector& combination);

}  // namespace c2rl
