#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/text.h"
#include "c2rl/run/experiment.h"

namespace c2rl {

Shard Shard::parse(const std::string& text) {
  const size_t slash = text.find('/');
  const auto number = parse_number(text.substr(0, slash));
  const auto of = slash == std::string::npos ? std::nullopt : parse_number(text.substr(slash + 1));
  constexpr int kMost = 100'000;
  const auto is_whole = [](double value) { return value == std::floor(value); };
  if (!number || !of || !is_whole(*number) || !is_whole(*of) || *number < 1 || *of < *number || *of > kMost) {
    throw InputError(
        {.field = "--shard"},
        fmt::format("expected NUMBER/COUNT, such as 1/4 for the first of four, found \"{}\"", text));
  }
  return {static_cast<int>(*number), static_cast<int>(*of)};
}

std::string Shard::directory(const std::string& directory) const {
  return fmt::format("{}/shards/{}-of-{}", directory, number, of);
}

std::vector<Cell> Shard::part_of(const std::vector<Cell>& cells) const {
  // Neighbours differ in the seed only and take about as long: every shard gets its share of them.
  std::vector<Cell> part;
  for (size_t i = static_cast<size_t>(number) - 1; i < cells.size(); i += static_cast<size_t>(of))
    part.push_back(cells[i]);
  return part;
}

void gather_shards(const std::vector<Cell>& cells, const std::string& directory) {
  namespace fs = std::filesystem;
  const std::string shards = directory + "/shards";
  if (!fs::exists(shards)) return;
  std::vector<std::string> places;
  for (const auto& entry : fs::directory_iterator(shards)) places.push_back(entry.path().string());
  std::ranges::sort(places);
  make_directories(directory + "/cells");
  for (const Cell& cell : cells) {
    if (read_cell(directory, cell)) continue;
    const auto has_it = [&](const std::string& place) { return read_cell(place, cell).has_value(); };
    const auto place = std::ranges::find_if(places, has_it);
    if (place != places.end()) write_file(cell_file(directory, cell), read_file(cell_file(*place, cell)));
  }
}

}  // namespace c2rl
