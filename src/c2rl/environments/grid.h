#pragma once

#include <string>
#include <vector>

#include "c2rl/mdp/model.h"

namespace c2rl {

/// What a cell of a grid does.
struct GridCell {
  bool blocked = false;   // cannot be entered
  bool terminal = false;  // ends the episode on entering
  bool start = false;
  Vector amount;  // added to the measurements on entering
};

/// A grid world. The moves are up, down, left, right, as actions 0 to 3. A move off the grid or into a
/// blocked cell stays in place, and so enters its own cell again.
struct Grid {
  int columns = 0;
  std::vector<GridCell> cells;  // row after row; the state's index is the cell's
  std::vector<std::string> measurements;
  Vector step;      // added to the measurements at every step
  double slip = 0;  // see kSlipReason
};

/// What `slip` is in the options of the kinds that are grids.
inline constexpr const char* kSlipReason =
    "probability that the action is replaced by one of the four, all equally likely";

/// The model; cells marked `start` are equally likely. Terminal and blocked cells are states without choices.
/// Discount and horizon are left to the caller. An InputError when no cell is a start.
TabularModel grid_model(const Grid& grid);

}  // namespace c2rl
