#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/print_result.h"
#include "c2rl/cli/problem_options.h"
#include "c2rl/cli/progress.h"
#include "c2rl/cli/watching.h"
#include "c2rl/report/page.h"
#include "c2rl/run/helpers.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

constexpr const char* kExample = R"(Examples:
  c2rl solve examples/navigation.toml
  c2rl solve examples/navigation.toml --set oracle.kind=q-learning --seed 7 --out runs/mine
  c2rl solve --resume
  c2rl solve --resume --out runs/mine --set solver.max_oracle_calls=500
  c2rl solve examples/cart_pole.toml --watch
  c2rl solve examples/command/corridor.toml --set oracle.time_limit=10
  mpirun -n 8 c2rl solve examples/cart_pole.toml      # its episodes over eight ranks; docs/scale.md

Leaves a run directory (default: runs/NAME, with a number behind it where that is taken): problem.toml with every
default filled in, record.jsonl with a line per oracle call, the policies, and result.json. Ctrl-C stops and saves.
--resume goes on with the run in --out, or with the newest one in runs/ that was interrupted or has used up its budget. It
goes on with its own problem: only budgets may be raised. docs/runs.md says more.

Exit status: 0 feasible or optimal, 3 proven infeasible, 4 stuck, undecided, out of budget, interrupted or a failing
oracle, 2 bad input.)";

struct SolveOptions {
  ProblemOptions problem;
  std::optional<std::string> out_directory;
  bool resume = false, json = false, quiet = false, report = false, watch = false;
};

/// runs/NAME, or the first of runs/NAME-2, runs/NAME-3, ... that is free.
std::string free_directory(const std::string& first) {
  std::string path = first;
  for (int i = 2; std::filesystem::exists(path); ++i) path = fmt::format("{}-{}", first, i);
  return path;
}

/// As a shell reads it back.
std::string quoted(const std::string& path) {
  const bool plain = std::ranges::all_of(path, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-./+=:,@%").find(c) != std::string_view::npos;
  });
  if (plain) return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// A problem, and where its run is: one that goes on, or a directory that is yet to be made.
struct Task {
  std::string path;
  Problem problem;
  std::optional<RunDirectory> directory = {};
};

std::string default_directory(const Problem& problem) {
  if (!is_file_name(problem.name)) {
    throw InputError({.field = "name"},
                     fmt::format("found '{}', expected a name that a directory in runs/ can have; "
                                 "or give --out",
                                 problem.name));
  }
  return "runs/" + problem.name;
}

/// To go on with on the first rank; to read, on others.
RunDirectory open_run(const std::string& path, const Ranks& ranks) {
  return ranks.is_first() ? RunDirectory::resume(path) : RunDirectory::open(path);
}

Task resume(const SolveOptions& options, const Console& console) {
  if (!options.problem.file.empty()) {
    Problem problem = options.problem.read(console.ranks);
    const std::string path = options.out_directory ? *options.out_directory : default_directory(problem);
    return {path, std::move(problem), open_run(path, console.ranks)};
  }
  std::optional<std::string> path = options.out_directory;
  if (!path) {
    path = newest_unfinished_run("runs");
    if (!path)
      throw InputError({.field = "--resume"},
                       "found no run in runs/ that can go on, expected one or --out DIR");
    console.err << "Going on with " << *path << ".\n";
  }
  RunDirectory directory = open_run(*path, console.ranks);
  Config config = options.problem.changed(Config::read(directory.problem_file()));
  return {*path, read_problem(config, {.ranks = console.ranks}), std::move(directory)};
}

Task start(const SolveOptions& options, const Console& console) {
  if (options.problem.file.empty())
    throw InputError({.field = "FILE"}, "missing; expected a problem file, or --resume");
  Problem problem = options.problem.read(console.ranks);
  const std::string path =
      options.out_directory ? *options.out_directory : free_directory(default_directory(problem));
  return {path, std::move(problem)};
}

int run_solve(const SolveOptions& options, const Console& console) {
  const Task task = together(
      console.ranks, [&] { return options.resume ? resume(options, console) : start(options, console); });
  const Problem& problem = task.problem;
  problem.oracle->prepare();
  if (!console.ranks.is_first()) {
    help(problem, console.ranks);
    return 0;
  }
  const Helpers helpers(console.ranks);
  const RunDirectory directory = task.directory ? *task.directory : RunDirectory::create(task.path, problem);
  std::optional<Watching> watching;
  if (options.watch) watching.emplace(directory.path(), console);
  Result result;
  {
    ProgressDisplay progress(console, options.quiet || options.json);
    result = solve(problem, &directory, progress);
  }
  console.out << print(result, problem.target, options.json ? Format::json : Format::text);
  std::ostream& more = options.json ? console.err : console.out;
  if (!options.json) more << "Saved in " << directory.path() << ".\n";
  if (options.report) {
    write_report({directory.path()}, report_file(directory.path()));
    if (!options.json) more << "See " << report_file(directory.path()) << "\n";
  }
  if (result.interrupted) more << "To go on: c2rl solve --resume --out " << quoted(directory.path()) << "\n";
  if (watching && !result.interrupted) watching->stay(InterruptGuard());
  return exit_status(result.status);
}

}  // namespace

void describe_solve(Command& command) {
  command.example(kExample);
  const auto options = std::make_shared<SolveOptions>();
  options->problem.add_optional_to(command, "not needed with --resume");
  command.option("--out", options->out_directory, "run directory");
  command.flag("--resume", options->resume, "go on after the last finished oracle call of a run");
  command.flag("--json", options->json, "the result as JSON, and nothing else");
  command.flag("--quiet", options->quiet, "no progress");
  command.flag("--report", options->report, "write a page that shows the run: report.html in its directory");
  command.flag("--watch", options->watch,
               "show that page to a browser on this machine while the run goes on");
  command.does_together([options](const Console& console) { return run_solve(*options, console); });
}

}  // namespace c2rl
