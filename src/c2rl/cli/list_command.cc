#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "c2rl/cli/commands.h"
#include "c2rl/mdp/environments.h"
#include "c2rl/oracle/oracles.h"
#include "c2rl/run/target_section.h"
#include "c2rl/solve/solver.h"

namespace c2rl {
namespace {

template <typename Kinds>
std::string section(const std::string& title, const Kinds& kinds) {
  std::string text = title + "\n";
  for (const auto& kind : kinds) text += fmt::format("  {:20} {}\n", kind.name, kind.summary);
  return text + "\n";
}

}  // namespace

void add_list_command(CLI::App& app, const Console& console, int& status) {
  CLI::App* command = app.add_subcommand("list", "what can be named in a problem file");
  command->footer("Example:\n  c2rl list");
  command->callback([console, &status] {
    console.out << section("environments (environment.kind)", environment_kinds())
                << section("oracles (oracle.kind)", oracle_kinds())
                << section("solvers (solver.kind)", solver_kinds())
                << section("sets (target.set.kind), beside the comparisons in target.constraints",
                           set_kinds());
    status = 0;
  });
}

}  // namespace c2rl
