#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "c2rl/cli/command_line.h"

namespace c2rl {

/// What a command left behind.
struct Finished {
  int status;
  std::string out, err;
};

/// Runs the command as from a shell, with the output kept.
inline Finished c2rl(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int status = run_command_line(arguments, {out, err});
  return {status, out.str(), err.str()};
}

}  // namespace c2rl
