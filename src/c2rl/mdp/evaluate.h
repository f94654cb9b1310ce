#pragma once

#include "c2rl/base/vector.h"
#include "c2rl/mdp/mixed_policy.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

/// What a policy measures on average, computed from the model without sampling.
struct Evaluation {
  Vector measurement;  // J: expected sum over an episode, discounted
  double steps = 0;    // expected number of steps, discounted likewise
  double error = 0;    // each entry of `measurement` is this near to the true one, rounding included
};

/// With a horizon, by following the occupied states forward in time, or, once they are many, all states backward. Without, by solving for the discounted
/// number of visits to each state the policy, which must be stationary then, can reach. The model is
/// validated. `longest`: no policy's episodes from any state are expected to be longer, discounted, where that is known.
Evaluation evaluate(const TabularModel& model, const Policy& policy, const Pulse& listener = {},
                    double longest = kInfinity);

/// The weighted mean of its policies' evaluations.
Evaluation evaluate(const TabularModel& model, const MixedPolicy& policy, const Pulse& listener = {});

}  // namespace c2rl
