#pragma once

#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/geometry/target.h"

namespace c2rl {

/// A kind of set for `[target.set]`, for `c2rl list`.
struct SetKind {
  std::string name;
  std::string summary;  // one line, with its keys
};
const std::vector<SetKind>& set_kinds();

/// The target that a [target] section describes: `constraints`, a list of comparisons; and, where those
/// cannot say it, a table `[target.set]` with a `kind`, over all measurements in their order. Both together:
/// what satisfies both.
Target read_target(const Config& section, const std::vector<std::string>& names);

}  // namespace c2rl
