#pragma once

#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// The step in [0, longest] that minimises 1/2 dist^2(x + step * direction, target), to rounding.
double exact_line_search(const ConvexSet& target, const Vector& x, const Vector& direction, double longest);

}  // namespace c2rl
