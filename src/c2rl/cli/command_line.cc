#include "c2rl/cli/command_line.h"

#include <algorithm>
#include <ostream>

#include <CLI/CLI.hpp>

#include "c2rl/base/error.h"
#include "c2rl/cli/commands.h"

namespace c2rl {

int run_command_line(const std::vector<std::string>& arguments, const Console& console) {
  std::ostream& out = console.out;
  std::ostream& err = console.err;
  constexpr int kInternalError = 1, kBadInput = 2;
  CLI::App app("c2rl: convex-constrained reinforcement learning", "c2rl");
  app.footer(
      "Exit status: 0 feasible or converged, 3 certified infeasible, 4 budget spent or oracle failed,\n"
      "             2 bad input, 1 internal error.\n\n"
      "c2rl COMMAND --help shows the options of a command, with an example.");
  app.set_version_flag("--version", "c2rl 0.1.0");
  app.require_subcommand(1);
  int status = 0;
  add_solve_command(app, console, status);
  add_mix_command(app, console, status);
  add_experiment_command(app, console, status);
  add_collect_command(app, console, status);
  add_evaluate_command(app, console, status);
  add_flatten_command(app, console, status);
  add_check_command(app, console, status);
  add_list_command(app, console, status);

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 takes them
    app.parse(reversed);
    return status;
  } catch (const CLI::Success& finished) {  // --help and --version
    app.exit(finished, out, err);
    return 0;
  } catch (const CLI::ParseError& error) {
    err << "c2rl: " << error.what() << "\nRun 'c2rl --help' to see the commands.\n";
    return kBadInput;
  } catch (const InputError& error) {
    err << "c2rl: " << error.what() << "\n";
    return kBadInput;
  } catch (const std::exception& error) {
    err << "c2rl: internal error: " << error.what() << "\n";
    return kInternalError;
  }
}

}  // namespace c2rl
