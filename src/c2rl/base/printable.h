#pragma once

#include <string>
#include <string_view>

namespace c2rl {

/// A text that a terminal shows and does not obey, whoever wrote it: control characters, other than ends of lines and
/// tabs, and those that turn the direction of writing become \u001b and the like, which JSON reads back; what is no
/// UTF-8 is replaced by U+FFFD.
std::string printable(std::string_view text);

}  // namespace c2rl
