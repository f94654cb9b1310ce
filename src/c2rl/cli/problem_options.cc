#include "c2rl/cli/problem_options.h"

#include <fmt/format.h>

namespace c2rl {

void ProblemOptions::add_to(Command& command) {
  command.argument("FILE", file, "problem file (TOML)");
  command.option("--seed", seed, "seed of all randomness; the file's `seed` otherwise");
  command.option("--set", overrides, "change anything in the file: section.key=value; repeatable");
}

Config ProblemOptions::config() const {
  Config config = Config::read(file);
  for (const std::string& assignment : overrides) config.override_value(assignment);
  if (seed) config.override_value(fmt::format("seed={}", *seed));
  return config;
}

}  // namespace c2rl
