#include "c2rl/environments/grid.h"

#include <algorithm>
#include <array>
#include <map>

#include "c2rl/base/error.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

constexpr int kMoves = 4;

/// Where each move leads from a cell.
std::array<int, kMoves> neighbours(const Grid& grid, int cell) {
  const int cells = static_cast<int>(grid.cells.size());
  const int column = cell % grid.columns;
  std::array<int, kMoves> next = {
      cell >= grid.columns ? cell - grid.columns : cell,
      cell + grid.columns < cells ? cell + grid.columns : cell,
      column > 0 ? cell - 1 : cell,
      column + 1 < grid.columns ? cell + 1 : cell,
  };
  for (int& to : next) {
    if (grid.cells[to].blocked) to = cell;
  }
  return next;
}

}  // namespace

TabularModel grid_model(const Grid& grid) {
  const int cells = static_cast<int>(grid.cells.size());
  ModelBuilder builder(grid.measurements);
  Vector start = Vector::Zero(cells);
  for (int cell = 0; cell < cells; ++cell) {
    if (grid.cells[cell].start) start[cell] = 1;
    if (!grid.cells[cell].blocked && !grid.cells[cell].terminal) {
      const std::array<int, kMoves> next = neighbours(grid, cell);
      for (int action = 0; action < kMoves; ++action) {
        std::map<int, double> probability;  // ascending, and once per cell however many moves lead there
        probability[next[action]] += 1 - grid.slip;
        for (const int to : next) probability[to] += grid.slip / kMoves;
        for (const auto& [to, p] : probability) {
          if (p > 0) builder.add_transition(to, p, grid.step + grid.cells[to].amount);
        }
        builder.end_choice();
      }
    }
    builder.end_state();
  }
  if (start.isZero(0)) throw InputError("the grid has no start");
  start /= start.sum();
  return std::move(builder).finish(std::move(start));
}

}  // namespace c2rl
