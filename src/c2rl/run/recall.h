#pragma once

#include "c2rl/run/run_directory.h"
#include "c2rl/run/solve.h"

namespace c2rl {

/// As `recall` of a run directory, by a record of it that was read already.
Result recall(const Problem& problem, const RunDirectory& directory, const Recorded& recorded,
              SolveListener& listener);

}  // namespace c2rl
