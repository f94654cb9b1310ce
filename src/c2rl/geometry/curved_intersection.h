#pragma once

#include <vector>

#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// The points common to members of one dimension, at least one of which is not polyhedral. See `intersection`.
SetPtr curved_intersection(std::vector<SetPtr> members);

}  // namespace c2rl
