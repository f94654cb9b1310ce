#pragma once

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {

/// What a policy that was made of actions measures over the model's horizon, from the last step back to the first, of all
/// states at once: each step reads the model in order, where a walk forward from the start would write all over it. For
/// when many states are occupied.
Evaluation evaluate_backward(const TabularModel& model, const TabularPolicy& policy, const Pulse& listener);

}  // namespace c2rl
