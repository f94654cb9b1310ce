#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "c2rl/base/ranks.h"

namespace c2rl {

/// Where a command writes: results to `out`, errors and progress to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool live = false;               // `err` is a terminal, where a line can be drawn over
  int columns = 80;                // of that terminal
  int out_columns = 0;             // of the terminal that `out` is; 0: it is none
  std::ostream* screen = nullptr;  // that terminal as it is, where `err` lets no orders to it through
  Ranks& ranks = lone_rank();      // that the command runs on
};

/// The command `c2rl` with its arguments, the program's name left out. Whatever is in the names, texts and files that
/// it is given, nothing of it reaches a terminal as an order. Returns the exit status: 0 feasible or optimal, 3 proven
/// infeasible, 4 neither is known, or memory or threads ran out, 2 bad input, or output that could not be written, 1 a
/// defect of ours.
int run_command_line(const std::vector<std::string>& arguments, const Console& console);

}  // namespace c2rl
