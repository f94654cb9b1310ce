#pragma once

#include <optional>
#include <string>
#include <vector>

#include "c2rl/geometry/target.h"
#include "c2rl/run/objective.h"
#include "c2rl/run/points.h"
#include "c2rl/run/result.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

/// The mixture of known policies nearest to the target, and what certifies it; with an objective, the best
/// one inside the target.
///
/// Points with standard errors: `feasible` when the mixture is inside wherever the policies are in the region
/// that holds all of them with kConfidence, `infeasible` when no mixture is, wherever they are in it,
/// `undecided` in between. With an objective it then ends `optimal` with a mixture that is surely inside and of which
/// the most is certain, an interval for its value, and a bound on what any mixture could have. The target's set
/// must be what its constraints say, as `make_target` makes it.
Result mix(const Points& points, const Target& target, const std::string& solver,
           const SolverOptions& options, const std::optional<Objective>& objective);

/// Checks a saved result against the points it was found on, by the rules that it was found by. Returns what
/// does not hold, in words.
std::vector<std::string> verify_mix(const Points& points, const Result& result);

}  // namespace c2rl
