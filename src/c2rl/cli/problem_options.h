#pragma once

#include <optional>
#include <string>
#include <vector>

#include "c2rl/run/problem.h"

namespace CLI {
class App;
}

namespace c2rl {

/// A problem file and what the command line changes in it.
struct ProblemOptions {
  std::string file;
  std::optional<long> seed;
  std::vector<std::string> overrides;  // section.key=value

  void add_to(CLI::App& command);
  Config config() const;
  Problem read() const { return read_problem(config()); }
};

}  // namespace c2rl
