#include "c2rl/cli/table.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "c2rl/base/printable.h"

namespace c2rl {
namespace {

constexpr size_t kGap = 2;  // in front of every column

/// UTF-8 continuation bytes take no room.
bool takes_room(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

/// Characters, not bytes.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), takes_room));
}

/// The bytes of the first `count` characters.
size_t bytes_of(std::string_view text, size_t count) {
  size_t end = 0;
  for (; end < text.size(); ++end) {
    if (takes_room(text[end]) && count-- == 0) break;
  }
  return end;
}

/// What people named may hold line breaks, and orders to a terminal that take room once they are shown.
std::string on_one_line(std::string cell) {
  std::ranges::replace_if(
      cell, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return printable(cell);
}

/// Whether a line may end before byte i: at a space, and behind the hyphen of a name such as corrective-mnp.
bool may_end(std::string_view text, size_t i) {
  if (text[i] == ' ') return true;
  const auto is_letter = [&](size_t at) { return std::isalpha(static_cast<unsigned char>(text[at])) != 0; };
  return i >= 2 && text[i - 1] == '-' && is_letter(i - 2) && is_letter(i);
}

/// The cell in lines of at most `width` characters, broken within words only where one is longer than a line.
std::vector<std::string> wrap(std::string_view cell, size_t width) {
  std::vector<std::string> lines;
  while (width_of(cell) > width) {
    size_t end = bytes_of(cell, width);
    for (size_t i = end; i > 0; --i) {
      if (!may_end(cell, i)) continue;
      end = i;
      break;
    }
    lines.emplace_back(cell.substr(0, end));
    cell.remove_prefix(cell[end] == ' ' ? end + 1 : end);
  }
  lines.emplace_back(cell);
  return lines;
}

size_t longest_word(std::string_view cell) {
  size_t longest = 0, begin = 0;
  for (size_t i = 0; i < cell.size(); ++i) {
    if (!may_end(cell, i)) continue;
    longest = std::max(longest, width_of(cell.substr(begin, i - begin)));
    begin = cell[i] == ' ' ? i + 1 : i;
  }
  return std::max(longest, width_of(cell.substr(begin)));
}

/// Some columns of a table, each with its width.
struct Block {
  std::vector<size_t> columns, widths;

  size_t width() const { return std::accumulate(widths.begin(), widths.end(), kGap * widths.size()); }
};

/// Takes width from the widest columns, none below its least, until the block fits.
void shrink(Block& block, const std::vector<size_t>& least, size_t width) {
  while (block.width() > width) {
    size_t widest = 0, room = 0;
    for (size_t i = 0; i < block.columns.size(); ++i) {
      if (block.widths[i] <= least[block.columns[i]] || block.widths[i] <= room) continue;
      widest = i;
      room = block.widths[i];
    }
    if (room == 0) return;
    --block.widths[widest];
  }
}

std::vector<Block> blocks_of(const TableRows& rows, const TableLayout& layout) {
  std::vector<size_t> natural, least;
  for (const auto& row : rows) {
    natural.resize(std::max(natural.size(), row.size()), 0);
    least.resize(natural.size(), 0);
    for (size_t i = 0; i < row.size(); ++i) {
      natural[i] = std::max(natural[i], width_of(row[i]));
      least[i] = std::max(least[i], longest_word(row[i]));
    }
  }
  Block whole;
  whole.columns.resize(natural.size());
  std::iota(whole.columns.begin(), whole.columns.end(), size_t{0});
  whole.widths = natural;
  const auto width = static_cast<size_t>(layout.width);
  if (layout.width <= 0 || whole.width() <= width) return {whole};

  // The keys and one column fit side by side, if need be with their words broken.
  const size_t keys = std::min(static_cast<size_t>(layout.keys), natural.size());
  const size_t share = std::max<size_t>(1, std::max(width / (keys + 1), kGap) - kGap);
  const size_t words = std::accumulate(least.begin(), least.begin() + static_cast<std::ptrdiff_t>(keys),
                                       *std::max_element(least.begin(), least.end()) + kGap * (keys + 1));
  if (words > width) {
    for (size_t& each : least) each = std::min(each, share);
  }
  const auto add = [&](Block& block, size_t column, const std::vector<size_t>& widths) {
    block.columns.push_back(column);
    block.widths.push_back(widths[column]);
  };
  std::vector<Block> blocks;
  for (size_t column = keys; column < natural.size() || blocks.empty();) {
    Block narrowest, block;
    const auto add_to_both = [&](size_t which) {
      add(narrowest, which, least);
      add(block, which, natural);
    };
    for (size_t key = 0; key < keys; ++key) add_to_both(key);
    bool first = true;
    for (; column < natural.size(); ++column, first = false) {
      if (!first && narrowest.width() + kGap + least[column] > width) break;
      add_to_both(column);
    }
    shrink(block, least, width);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void append_row(std::string& text, const std::vector<std::string>& row, const Block& block, bool is_header) {
  std::vector<std::vector<std::string>> cells;
  size_t height = 1;
  for (size_t i = 0; i < block.columns.size(); ++i) {
    const size_t column = block.columns[i];
    cells.push_back(column < row.size() ? wrap(row[column], block.widths[i]) : std::vector<std::string>());
    height = std::max(height, cells.back().size());
  }
  for (size_t line = 0; line < height; ++line) {
    std::string joined;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string part = line < cells[i].size() ? cells[i][line] : "";
      const std::string padding(block.widths[i] - width_of(part), ' ');
      const bool is_text = block.columns[i] == 0 || (!is_header && cells[i].size() > 1);
      joined += std::string(kGap, ' ') + (is_text ? part + padding : padding + part);
    }
    joined.erase(joined.find_last_not_of(' ') + 1);
    text += joined + "\n";
  }
}

}  // namespace

std::string format_table(TableRows rows, const TableLayout& layout) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = on_one_line(cell);
  }
  std::string text;
  for (const Block& block : blocks_of(rows, layout)) {
    if (!text.empty()) text += '\n';
    for (size_t r = 0; r < rows.size(); ++r) {
      append_row(text, rows[r], block, r == 0);
      if (r > 0) continue;
      for (const size_t width : block.widths) text += std::string(kGap, ' ') + std::string(width, '-');
      text += '\n';
    }
  }
  return text;
}

}  // namespace c2rl
