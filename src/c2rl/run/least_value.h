#pragma once

#include <vector>

#include "c2rl/mdp/model.h"

namespace c2rl {

/// What no policy can undercut: from state s at step t on, direction.J is at least values[t][s]. Without a horizon
/// there is one step, which stands for all.
struct LeastValue {
  double at_start = 0;
  std::vector<Vector> values;
};

/// By sweeping backwards through the horizon or, where there is none, until nothing moves: the plainest way, and
/// not the one that the exact oracle goes, so that each can be held against the other.
LeastValue least_value(const TabularModel& model, const Vector& direction);

}  // namespace c2rl
