#pragma once

#include <optional>

#include "c2rl/base/json.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/mixed_policy.h"
#include "c2rl/run/problem.h"

namespace c2rl {

/// How the totals of the mixture's episodes are spread, from fresh episodes of its policies: for each measurement
/// `edges` of bins, and in `shares` for each policy the part of all the mixture's episodes that fall into each bin.
/// Null where nobody can act in the world.
Json totals_json(const Problem& problem, const MixedPolicy& mixed);

/// The map that the kind of a problem's environment has of it; nothing where it has none.
std::optional<WorldMap> map_of(const Config& problem_file, const World& world);

/// What stands in the cells, those that nothing leads into (`blocked`) and those that end episodes; and for each policy: `visits`, how often an episode is expected in each cell, and `actions`, which part of
/// these times each of the four moves is made there (where it never is, what it would do at first), computed from the
/// model; and `episodes`, a few of them, as the cells they were in.
Json map_json(const Problem& problem, const WorldMap& map, const MixedPolicy& mixed);

}  // namespace c2rl
