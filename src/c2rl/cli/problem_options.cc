#include "c2rl/cli/problem_options.h"

#include <fmt/format.h>

namespace c2rl {

void ProblemOptions::add_to(Command& command) {
  command.argument("FILE", file, "problem file (TOML)");
  add_changes_to(command);
}

void ProblemOptions::add_optional_to(Command& command, const std::string& why) {
  command.optional_argument("FILE", file, "problem file (TOML); " + why);
  add_changes_to(command);
}

void ProblemOptions::add_changes_to(Command& command) {
  command.option("--seed", seed, "seed of all randomness; the file's `seed` otherwise");
  command.option("--set", overrides, "change anything in the file: section.key=value; repeatable");
}

Config ProblemOptions::changed(Config config) const {
  for (const std::string& assignment : overrides) config.override_value(assignment);
  if (seed) config.override_value(fmt::format("seed={}", *seed));
  return config;
}

}  // namespace c2rl
