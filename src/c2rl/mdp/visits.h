#pragma once

#include "c2rl/base/vector.h"
#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

/// The solution of x = b + M' x for M >= 0 whose powers vanish and b >= 0: how often a chain with the
/// transitions M visits each state, started as b says. What arrives in a state is passed on to where it leads,
/// state by state and component by component, so that M is read as it is; only where that would take long is
/// it transposed and solved like a fixed point.
Vector solve_visits(const SparseRows& matrix, const Vector& b, const Pulse& listener = {});

/// A bound on the sum of all |b + M' x - x|, rounding of its own computation included.
double visits_residual_bound(const SparseRows& matrix, const Vector& b, const Vector& x);

}  // namespace c2rl
