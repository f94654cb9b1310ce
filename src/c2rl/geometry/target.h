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
  /// The same as what is flat in it, row by row, and the rest.
  Halfspaces flat = {};
  SetPtr curved = nullptr;            // none where the target is polyhedral
  std::vector<int> curved_over = {};  // the measurements that the curved part is about
};

/// The set of all points that satisfy every constraint; all of space when there are none. An empty set is an
/// InputError that quotes the constraints in conflict: a few that cannot hold together, and could without any
/// one of them.
Target make_target(std::vector<std::string> names, std::vector<Constraint> constraints);

/// What is in the set besides. An EmptySetError when nothing is.
Target intersect(Target target, const SetPtr& set);

}  // namespace c2rl
