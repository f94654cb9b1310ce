#pragma once

#include "c2rl/base/vector.h"
#include "c2rl/mdp/limits.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// What combination . total of an episode can be, whatever the policy. From the model where it says so
/// exactly, from what the world declares otherwise; infinite ends where none is known.
TotalRange total_range(const World& world, const Vector& combination, const Pulse& listener = {});

/// The part of it that a validated model knows.
struct ModelRange {
  TotalRange range;
  bool exact = false;  // some policy comes to each end, or as near as you like; else it is only within
};
ModelRange model_range(const TabularModel& model, const Vector& combination, const Pulse& listener = {});

}  // namespace c2rl
