#pragma once

#include <string>

#include "c2rl/cli/command_line.h"

namespace c2rl {

/// Says what is wrong with the files of a run, where anything is: what was shown may be all right, the run is not.
/// The exit status, 0 or that of bad input.
int report_damage(const std::string& run, const Console& console);

}  // namespace c2rl
