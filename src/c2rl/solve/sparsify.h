#pragma once

#include "c2rl/geometry/convex_set.h"
#include "c2rl/solve/mixture.h"

namespace c2rl {

/// A mixture at the same distance from a polyhedral target with as few atoms as a basic solution has: at most
/// 1 + (number of constraints that are tight at its projection). Curved targets: the mixture as it is.
Mixture sparsify(const Mixture& mixture, const ConvexSet& target);

}  // namespace c2rl
