#pragma once

#include <optional>

#include "c2rl/run/problem.h"
#include "c2rl/run/result.h"
#include "c2rl/run/verify_run.h"

namespace c2rl {

/// That no mixture is nearer to the target, planned anew where there is a model: every policy is on one side of a
/// plane, and the target on the other. Nothing where no such bound is claimed.
std::optional<Checked> check_bound(const Problem& problem, const Result& result);

/// That no mixture inside the target has more of the objective; the best is found anew where there is a model.
Checked check_optimum(const Problem& problem, const Result& result);

}  // namespace c2rl
