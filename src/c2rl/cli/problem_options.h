#pragma once

#include <optional>
#include <string>
#include <vector>

#include "c2rl/cli/command.h"
#include "c2rl/run/problem.h"

namespace c2rl {

/// A problem file and what the command line changes in it.
struct ProblemOptions {
  std::string file;
  std::optional<std::int64_t> seed;
  std::vector<std::string> overrides;  // section.key=value

  void add_to(Command& command);
  /// The same where there may be no file: `why` says when.
  void add_optional_to(Command& command, const std::string& why);
  Config config() const { return changed(Config::read(file)); }
  /// What the command line changes, in another problem.
  Config changed(Config config) const;
  Problem read(Ranks& ranks = lone_rank()) const { return read_problem(config(), {.ranks = ranks}); }

 private:
  void add_changes_to(Command& command);
};

}  // namespace c2rl
