#pragma once

#include <memory>

#include "c2rl/solve/solver.h"

namespace c2rl {

/// Algorithm 2 with the whole correction solved between two oracle calls. Other solvers use it for the
/// problems within theirs.
std::unique_ptr<Solver> corrective_mnp(SetPtr target, const SolverOptions& options);

}  // namespace c2rl
