#pragma once

#include <optional>
#include <string>
#include <vector>

#include "c2rl/geometry/target.h"
#include "c2rl/run/objective.h"
#include "sets.h"

namespace c2rl::python {

/// The target of constraints over named measurements, and of a set besides.
Target make_target_of(const std::vector<std::string>& names, const std::vector<std::string>& constraints,
                      const std::optional<SetHandle>& set);

/// What `maximize` or `minimize` says; at most one of them may.
std::optional<Objective> make_objective(const std::vector<std::string>& names,
                                        const std::optional<std::string>& maximize,
                                        const std::optional<std::string>& minimize);

}  // namespace c2rl::python
