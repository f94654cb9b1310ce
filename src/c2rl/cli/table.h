#pragma once

#include <string>
#include <vector>

namespace c2rl {

/// Rows of cells as aligned text, two spaces in front and between: the first column to the left, the others
/// to the right. The first row is the header, underlined.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace c2rl
