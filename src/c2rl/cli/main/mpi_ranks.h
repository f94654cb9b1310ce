#pragma once

#include <memory>

#include "c2rl/base/ranks.h"

namespace c2rl {

/// The ranks of this job, where it was started as one of several: by mpirun, or by srun. Null: it was started by itself.
/// An InputError where this program was built without MPI and cannot join in.
std::unique_ptr<Ranks> ranks_of_job();

}  // namespace c2rl
