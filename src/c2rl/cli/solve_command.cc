#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/print_result.h"
#include "c2rl/cli/problem_options.h"
#include "c2rl/cli/progress.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

constexpr const char* kExample = R"(Examples:
  c2rl solve examples/navigation.toml
  c2rl solve examples/navigation.toml --set oracle.kind=q-learning --seed 7 --out runs/mine
  c2rl solve examples/navigation.toml --out runs/mine --resume
  c2rl solve examples/command/corridor.toml --set oracle.time_limit=10

Leaves a run directory (default: runs/NAME, with a number behind it where that is taken): problem.toml with every
default filled in, record.jsonl with a line per oracle call, the policies, and result.json.

Exit status: 0 feasible or optimal, 3 proven infeasible, 4 stuck, undecided, out of budget, interrupted or a failing
oracle, 2 bad input.)";

struct SolveOptions {
  ProblemOptions problem;
  std::optional<std::string> out_directory;
  bool resume = false, json = false, quiet = false;
};

/// runs/NAME, or the first of runs/NAME-2, runs/NAME-3, ... that is free.
std::string free_directory(const std::string& name) {
  const std::string first = "runs/" + name;
  std::string path = first;
  for (int i = 2; std::filesystem::exists(path); ++i) path = fmt::format("{}-{}", first, i);
  return path;
}

int run_solve(const SolveOptions& options, const Console& console) {
  const Problem problem = options.problem.read();
  const auto open = [&] {
    if (options.resume) return RunDirectory::open(options.out_directory.value_or("runs/" + problem.name));
    return RunDirectory::create(options.out_directory.value_or(free_directory(problem.name)),
                                problem.resolved);
  };
  const RunDirectory directory = open();
  Result result;
  {
    ProgressDisplay progress(console, options.quiet || options.json);
    result = solve(problem, &directory, progress);
  }
  console.out << print(result, problem.target, options.json ? Format::json : Format::text);
  if (!options.json) console.out << "Saved in " << directory.path() << ".\n";
  return exit_status(result.status);
}

}  // namespace

void describe_solve(Command& command) {
  command.example(kExample);
  const auto options = std::make_shared<SolveOptions>();
  options->problem.add_to(command);
  command.option("--out", options->out_directory, "run directory");
  command.flag("--resume", options->resume, "go on after the last finished oracle call of the run in --out");
  command.flag("--json", options->json, "the result as JSON, and nothing else");
  command.flag("--quiet", options->quiet, "no progress");
  command.does([options](const Console& console) { return run_solve(*options, console); });
}

}  // namespace c2rl
