#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/problem_options.h"

namespace c2rl {
namespace {

std::string kept(Keeps keeps, int dim) {
  switch (keeps) {
    case Keeps::few:
      return fmt::format("at most {} policies kept", dim + 1);
    case Keeps::one:
      return "1 policy kept";
    case Keeps::some:
    case Keeps::all:
      break;
  }
  return "any number of policies kept";
}

/// Steps on the shortest way from any start to a terminal state, whatever chance must do for it; none where
/// there is no way.
std::optional<int> steps_to_goal(const TabularModel& model) {
  std::vector<bool> reached(model.states, false);
  std::vector<int> now, after;
  const auto reach = [&](int state) {
    if (reached[state]) return;
    reached[state] = true;
    after.push_back(state);
  };
  for (int s = 0; s < model.states; ++s) {
    if (model.start[s] > 0) reach(s);
  }
  for (int steps = 0; !after.empty(); ++steps) {
    now.swap(after);
    after.clear();
    for (const int s : now) {
      if (model.is_terminal(s)) return steps;
      for (int e = model.first_transition(s); e < model.first_transition(s + 1); ++e) {
        if (model.probability[e] > 0) reach(model.next[e]);
      }
    }
  }
  return std::nullopt;
}

/// What is odd about a problem that can be run.
std::string warnings(const World& world) {
  if (!world.model || !world.has_goal) return {};
  const auto steps = steps_to_goal(*world.model);
  if (!steps)
    return "warning: no terminal state can be reached from the start, whatever the policy; every episode "
           "goes on "
           "until it is cut\n";
  if (world.horizon > 0 && *steps > world.horizon)
    return fmt::format(
        "warning: the nearest terminal state is {} steps from the start, but episodes are cut after {}\n",
        *steps, world.horizon);
  return {};
}

std::string environment_words(const World& world) {
  if (world.part) return fmt::format("{} states, in parts: a rank has its own and no more", world.states);
  if (!world.can_be_acted_in()) return "external: only the oracle's own program can act there";
  return fmt::format(
      "{}; discount {}, {}",
      world.model ? fmt::format("{} states, {} choices, {} transitions", world.states, world.model->choices(),
                                world.model->transitions())
                  : fmt::format("{} features, {}", world.features,
                                world.controls > 0 ? fmt::format("actions of {} real numbers", world.controls)
                                                   : fmt::format("{} actions", world.actions)),
      format_number(world.discount),
      world.horizon > 0 ? fmt::format("episodes cut after {} steps", world.horizon) : "no horizon");
}

void run_check(const ProblemOptions& options, const Console& console) {
  const Problem problem = options.read();
  const World& world = problem.world;
  std::string text = fmt::format("{} is right. It would run:\n", options.file);
  text += fmt::format("  environment  {}\n", environment_words(world));
  text += fmt::format("  measures     {}\n", join(world.measurements, ", "));
  std::vector<std::string> constraints;
  constraints.reserve(problem.target.constraints.size());
  for (const Constraint& constraint : problem.target.constraints) constraints.push_back(constraint.text);
  const Halfspaces faces = problem.target.set->halfspaces();
  const bool is_everything = problem.target.set->is_polyhedral() && faces.offsets.size() == 0;
  text += fmt::format("  target       {}\n", !constraints.empty() ? join(constraints, "; ")
                                             : is_everything      ? "everything"
                                                                  : "a set");
  if (problem.objective) {
    text += fmt::format("  {}     {}\n", sense_names().of(problem.objective->sense),
                        problem.objective->expression.text);
  }
  text += fmt::format("  oracle       {}\n", problem.oracle_kind->name);
  text += fmt::format("  solver       {}, tolerance {}, at most {} oracle calls, {}\n",
                      problem.solver_kind->name, format_number(problem.solver.tolerance),
                      problem.solver.max_oracle_calls, kept(problem.solver_kind->keeps, world.dim()));
  console.out << text << warnings(world);
}

}  // namespace

void describe_check(Command& command) {
  command.example("Example:\n  c2rl check examples/navigation.toml --set solver.kind=modified-mnp");
  const auto options = std::make_shared<ProblemOptions>();
  options->add_to(command);
  command.does([options](const Console& console) {
    run_check(*options, console);
    return 0;
  });
}

}  // namespace c2rl
