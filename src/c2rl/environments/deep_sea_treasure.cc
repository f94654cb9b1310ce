#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/grid.h"

namespace c2rl {
namespace {

constexpr int kRows = 11;
constexpr int kColumns = 10;
constexpr int kCells = kRows * kColumns;
/// The row in which each column's treasure lies; below it is sea floor.
constexpr std::array<int, kColumns> kDepth = {1, 2, 3, 4, 4, 4, 7, 7, 9, 10};
constexpr std::array<double, kColumns> kConvex = {0.7, 8.2, 11.5, 14.0, 15.1, 16.1, 19.6, 20.3, 22.4, 23.7};
constexpr std::array<double, kColumns> kConcave = {1, 2, 3, 5, 8, 16, 24, 50, 74, 124};

enum class TreasureMap { convex, concave };

struct TreasureOptions {
  TreasureMap map = TreasureMap::convex;
  bool reached = false;
  Episode episode = {.horizon = 1000};

  void visit(OptionVisitor& visitor) {
    static const EnumNames<TreasureMap> kNames("map", {"convex", "concave"});
    visitor.choice("map", map, kNames,
                   "on the convex map every treasure is a vertex of the front or lies on it; on the concave "
                   "one only the nearest and the farthest are vertices, so anything between takes a mixture");
    visitor.flag(kReached, reached, "measure also whether it came to a treasure at all, as reached");
    episode.visit(visitor);
  }
};

const std::array<double, kColumns>& values_of(const TreasureOptions& options) {
  return options.map == TreasureMap::concave ? kConcave : kConvex;
}

TabularModel make_deep_sea_treasure(const TreasureOptions& options) {
  const auto& values = values_of(options);
  Grid grid;
  grid.columns = kColumns;
  grid.measurements = {"treasure", "steps"};
  if (options.reached) grid.measurements.emplace_back(kReached);
  const auto dim = std::ssize(grid.measurements);
  grid.step = Vector::Unit(dim, 1);
  grid.cells.assign(kCells, {.amount = Vector::Zero(dim)});
  for (int column = 0; column < kColumns; ++column) {
    GridCell& treasure = grid.cells[kDepth[column] * kColumns + column];
    treasure.terminal = true;
    treasure.amount[0] = values[column];
    if (options.reached) treasure.amount[2] = 1;
    for (int row = kDepth[column] + 1; row < kRows; ++row) grid.cells[row * kColumns + column].blocked = true;
  }
  grid.cells[0].start = true;
  TabularModel model = grid_model(grid);
  options.episode.apply_to(model);
  return model;
}

WorldMap map_of_sea(const TreasureOptions& options) {
  WorldMap map{.columns = kColumns, .marks = std::vector<std::string>(kCells)};
  map.marks[0] = "S";
  for (int column = 0; column < kColumns; ++column)
    map.marks[kDepth[column] * kColumns + column] = fmt::format("{}", values_of(options)[column]);
  return map;
}

}  // namespace

/// The submarine starts top left, and the episode ends on reaching a treasure. Measures "treasure" and
/// "steps".
EnvironmentKind deep_sea_treasure_kind() {
  return model_kind("deep-sea-treasure", "a submarine trades treasure against time; maps convex and concave",
                    make_deep_sea_treasure, map_of_sea);
}

}  // namespace c2rl
