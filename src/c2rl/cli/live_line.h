#pragma once

#include <string>

#include "c2rl/cli/command_line.h"

namespace c2rl {

/// Draws one line of a live console over the last. What does not fit is left out: a line that wraps could not be
/// drawn over, and the terminal would scroll with every update.
void draw_line(const Console& console, const std::string& text);
void clear_line(const Console& console);

}  // namespace c2rl
