#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/problem_options.h"

namespace c2rl {
namespace {

void run_check(const ProblemOptions& options, const Console& console) {
  const Problem problem = options.read();
  const World& world = problem.world;
  std::string text = fmt::format("{} is right. It would run:\n", options.file);
  text += fmt::format(
      "  environment  {}; discount {}, {}\n",
      world.model ? fmt::format("{} states, {} choices, {} transitions", world.states, world.model->choices(),
                                world.model->transitions())
                  : fmt::format("{} features, {} actions", world.features, world.actions),
      format_number(world.discount),
      world.horizon > 0 ? fmt::format("episodes cut after {} steps", world.horizon) : "no horizon");
  text += fmt::format("  measures     {}\n", join(world.measurements, ", "));
  std::vector<std::string> constraints;
  for (const Constraint& constraint : problem.target.constraints) constraints.push_back(constraint.text);
  text += fmt::format("  target       {}\n", constraints.empty() ? "a set" : join(constraints, "; "));
  if (problem.maximize) text += fmt::format("  maximize     {}\n", world.measurements[*problem.maximize]);
  text += fmt::format("  oracle       {}\n", problem.oracle_kind);
  text += fmt::format(
      "  solver       {}, tolerance {}, at most {} oracle calls, at most {} policies kept\n",
      problem.solver_kind, format_number(problem.solver.tolerance), problem.solver.max_oracle_calls,
      problem.solver_kind.ends_with("mnp") ? std::to_string(world.dim() + 1) : "any number of");
  console.out << text;
}

}  // namespace

void add_check_command(CLI::App& app, const Console& console, int& status) {
  CLI::App* command = app.add_subcommand("check", "is a problem file right, and what would run?");
  command->footer("Example:\n  c2rl check examples/navigation.toml --set solver.kind=modified-mnp");
  const auto options = std::make_shared<ProblemOptions>();
  options->add_to(*command);
  command->callback([options, console, &status] {
    run_check(*options, console);
    status = 0;
  });
}

}  // namespace c2rl
