#pragma once

#include <string>
#include <vector>

namespace c2rl {

/// What can be known of a world from outside: what is measured there, how long episodes are, what is seen and
/// what can be done. Episodes that were recorded there have the same shape.
struct WorldShape {
  std::vector<std::string> measurements;  // their names; m of them
  double discount = 1;
  int horizon = 0;   // episodes are cut after this many steps; 0: never
  int states = 0;    // what is seen is the index of a state, below this ...
  int features = 0;  // ... or, where that is 0, this many real numbers
  int actions = 0;   // what is done is the index of an action, below this, the most that a state has ...
  /// ... or, where that is 0, this many real numbers. Each is meant to be within -1 and 1: environments clip
  /// what is beyond, and scale it to units of their own.
  int controls = 0;

  /// Else only another program knows what is seen and done there.
  bool can_be_acted_in() const { return actions > 0 || controls > 0; }
  int dim() const { return static_cast<int>(measurements.size()); }
};

}  // namespace c2rl
