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
Result mix(const Points& points, const Target& target, const std::string& solver,
           const SolverOptions& options, const std::optional<Objective>& objective);

/// Checks a saved result against the points it was found on. Returns what does not hold, in words.
std::vector<std::string> verify_mix(const Points& points, const Result& result);

}  // namespace c2rl
