#pragma once

#include "c2rl/mdp/mixed_policy.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/policy.h"

namespace c2rl {

/// The single policy that randomises at every step instead of once per episode, and visits every state, takes
/// every action, and so measures the same on average: at each step and state it averages the members' action
/// probabilities, weighted with how often each member comes there. It changes over time when the model has a
/// horizon. Where no member ever comes it does what the heaviest member does.
PolicyPtr flatten(const TabularModel& model, const MixedPolicy& mixed);

}  // namespace c2rl
