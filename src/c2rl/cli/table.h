#pragma once

#include <string>
#include <vector>

namespace c2rl {

using TableRows = std::vector<std::vector<std::string>>;

/// What a table must fit into.
struct TableLayout {
  int width = 0;  // in characters; 0: as wide as it is
  int keys = 1;   // so many columns, the first ones, say what a row is about
};

/// Rows of cells as aligned text, two spaces in front and between: the first column to the left, the others
/// to the right. The first row is the header, underlined. What is too wide for the layout is wrapped at
/// spaces and hyphens; where that will not do, the columns behind the keys go on in further tables below,
/// with the keys again. Nothing is cut; line breaks within a cell become spaces.
std::string format_table(TableRows rows, const TableLayout& layout = {});

}  // namespace c2rl
