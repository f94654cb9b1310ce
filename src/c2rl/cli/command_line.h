#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace c2rl {

/// The command `c2rl` with its arguments, the program's name left out. Results go to `out`, errors to `err`.
/// Returns the exit status: 0 feasible or converged, 3 certified infeasible, 4 budget spent or oracle failed,
/// 2 bad input, 1 a defect of ours.
int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace c2rl
