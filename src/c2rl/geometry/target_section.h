#pragma once

#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/geometry/target.h"

namespace c2rl {

/// The target that a [target] section describes: `constraints`, a list of comparisons; and, where those
/// cannot say it, a table `[target.set]` with a `kind` (see set_kinds), over all measurements in their order.
/// Both together: what satisfies both. Neither: all of space, where that will do, else an InputError. `provided` is what
/// the calling program brings for the kind "python".
enum class Constrained { yes, maybe };
Target read_target(const Config& section, const std::vector<std::string>& names,
                   Constrained constrained = Constrained::yes, const SetPtr& provided = nullptr);

}  // namespace c2rl
