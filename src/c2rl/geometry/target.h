#pragma once

#include <string>
#include <vector>

#include "c2rl/geometry/constraint.h"
#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// What the mixture must satisfy: the constraints by name, and the convex set they make together.
struct Target {
  std::vector<std::string> names;
  std::vector<Constraint> constraints;
  SetPtr set;
};

/// The set of all points that satisfy every constraint; all of space when there are none. An empty set is an
/// InputError that quotes the constraints in conflict: a few that cannot hold together, and could without any
/// one of them.
Target make_target(std::vector<std::string> names, std::vector<Constraint> constraints);

}  // namespace c2rl
