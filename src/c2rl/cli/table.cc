#include "c2rl/cli/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace c2rl {
namespace {

/// Characters, not bytes: UTF-8 continuation bytes take no room.
size_t width_of(const std::string& cell) {
  return static_cast<size_t>(std::count_if(
      cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      line += "  " + (i == 0 ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  for (size_t r = 0; r < rows.size(); ++r) {
    add_row(rows[r]);
    if (r > 0) continue;
    std::vector<std::string> rule;
    for (size_t i = 0; i < rows[0].size(); ++i) rule.push_back(std::string(widths[i], '-'));
    add_row(rule);
  }
  return text;
}

}  // namespace c2rl
