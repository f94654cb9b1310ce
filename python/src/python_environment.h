#pragma once

#include <functional>
#include <memory>

#include "c2rl/mdp/environment.h"
#include "c2rl/mdp/world.h"
#include "callbacks.h"
#include "python_object.h"

namespace c2rl::python {

/// What makes batches of a Python environment (c2rl.environments.World).
std::function<std::unique_ptr<Environment>(int batch)> python_environment(const WorldShape& shape,
                                                                          PythonObject world,
                                                                          std::shared_ptr<Failure> failure);

/// Runs whole episodes there, in one batch whose slots begin another episode when theirs has ended.
std::function<EpisodeTotals(const Policy& policy, std::int64_t first, int count, const Rng& rng,
                            const Pulse& listener)>
python_episodes(const WorldShape& shape, std::function<std::unique_ptr<Environment>(int batch)> environment);

}  // namespace c2rl::python
