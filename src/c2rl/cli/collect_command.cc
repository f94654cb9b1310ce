#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file_lock.h"
#include "c2rl/base/text.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/interrupt.h"
#include "c2rl/cli/live_line.h"
#include "c2rl/cli/problem_options.h"
#include "c2rl/oracle/collect.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample = R"(Examples:
  c2rl collect examples/navigation.toml --out navigation.data
  c2rl solve examples/navigation.toml --set oracle.kind=ddqn --set oracle.dataset=navigation.data

An actor-critic agent (the file's [oracle] where that is a2c) is trained in the file's environment, and everything it
does is written down: what it saw, did and measured, and how likely it was to do it. Without --direction it is trained
from scratch for what the solver would ask first, then for each measurement by itself. docs/datasets.md describes the
file.)";

struct CollectOptions {
  ProblemOptions problem;
  std::string out;
  std::int64_t samples = 200'000;
  std::vector<std::string> directions;
  bool quiet = false, force = false;
};

Vector parse_direction(const std::string& text, int dim) {
  std::vector<double> entries;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto value = parse_number(text.substr(begin, end - begin));
    if (!value) break;
    entries.push_back(*value);
    begin = end + 1;
    if (end == text.size()) break;
  }
  Vector direction = Eigen::Map<const Vector>(entries.data(), std::ssize(entries));
  if (direction.size() != dim || direction.isZero(0) || !direction.allFinite()) {
    throw InputError(
        {.field = "--direction"},
        fmt::format("found '{}'; expected {} numbers with commas between, not all 0", text, dim));
  }
  return direction;
}

/// Asked before anything is collected.
void expect_free(const fs::path& file, bool force) {
  const fs::file_status status = fs::symlink_status(file);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_symlink(status))
    throw InputError({.file = file}, "is there, and no regular file");
  if (fs::exists(status) && !force) throw InputError({.file = file}, "is there already; --force replaces it");
}

/// Of whoever collects into the file.
FileLock lock_for(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return {folder / (".c2rl-" + file.filename().string() + ".lock"), file};
}

int run_collect(const CollectOptions& options, const Console& console) {
  const Config config = options.problem.config();
  const Problem problem = read_problem(config);
  const ActorCriticOptions agent = agent_of(*problem.oracle);
  std::vector<Vector> directions;
  directions.reserve(options.directions.size());
  for (const std::string& text : options.directions)
    directions.push_back(parse_direction(text, problem.world.dim()));
  if (directions.empty()) directions = directions_to_collect(problem);
  if (options.samples < std::ssize(directions)) {
    throw InputError({.field = "--samples"}, fmt::format("found {}; expected at least {}, one per direction",
                                                         options.samples, directions.size()));
  }

  expect_free(options.out, options.force);
  const FileLock lock = lock_for(options.out);
  InterruptGuard interrupt;
  auto drawn = std::chrono::steady_clock::now();
  const auto watch = [&](double part) {
    const auto now = std::chrono::steady_clock::now();
    if (console.live && !options.quiet && now - drawn > std::chrono::milliseconds(100)) {
      draw_line(console, fmt::format("collecting: {:3.0f}%", 100 * part));
      drawn = now;
    }
    return !interrupt.requested();
  };
  try {
    const Dataset data =
        collect(problem.world, agent, directions, options.samples, Rng(problem.seed).fork("collect"), watch);
    if (console.live && !options.quiet) clear_line(console);
    write_dataset(options.out, data);
    console.out << fmt::format("{} transitions of {} episodes, from {} trainings, in {}.\n", data.size(),
                               data.episodes(), directions.size(), options.out);
  } catch (const OracleInterrupted&) {
    console.err << "\ninterrupted; nothing was written\n";
    return 4;
  }
  return 0;
}

}  // namespace

void describe_collect(Command& command) {
  command.example(kExample);
  const auto options = std::make_shared<CollectOptions>();
  options->problem.add_to(command);
  command.required_option("--out", options->out, "file to write");
  command.flag("--force", options->force, "replace the file that is there");
  command.option("--samples", options->samples, "transitions");
  command.option("--direction", options->directions,
                 "what the agent minimises: a number per measurement, as in 1,0.5; repeatable");
  command.flag("--quiet", options->quiet, "no progress");
  command.does([options](const Console& console) { return run_collect(*options, console); });
}

}  // namespace c2rl
