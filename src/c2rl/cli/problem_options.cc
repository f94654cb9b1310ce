#include "c2rl/cli/problem_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace c2rl {

void ProblemOptions::add_to(CLI::App& command) {
  command.add_option("FILE", file, "problem file (TOML)")->required();
  command.add_option("--seed", seed, "seed of all randomness; the file's `seed` otherwise");
  command.add_option("--set", overrides, "change anything in the file: section.key=value; repeatable")
      ->allow_extra_args(false);
}

Config ProblemOptions::config() const {
  Config config = Config::read(file);
  for (const std::string& assignment : overrides) config.override_value(assignment);
  if (seed) config.override_value(fmt::format("seed={}", *seed));
  return config;
}

}  // namespace c2rl
