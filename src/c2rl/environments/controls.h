#pragma once

#include <algorithm>

#include "c2rl/mdp/signals.h"

namespace c2rl {

/// A control of a slot as an environment takes it: what is beyond -1 or 1 is clipped (see WorldShape).
inline double clipped_control(const Actions& actions, int control, int slot) {
  return std::clamp<double>(actions.values()(control, slot), -1, 1);
}

}  // namespace c2rl
