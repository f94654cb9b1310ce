#include <memory>
#include <ostream>

#include "c2rl/cli/commands.h"
#include "c2rl/cli/damage.h"
#include "c2rl/cli/print_result.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/run_directory.h"

namespace c2rl {
namespace {

struct ShowOptions {
  std::string run;
  bool json = false;
};

int run_show(const ShowOptions& options, const Console& console) {
  const RunDirectory directory = RunDirectory::open(options.run);
  const Problem problem = read_problem(Config::read(directory.problem_file()));
  console.out << print(directory.read_result(), problem.target, options.json ? Format::json : Format::text);
  return report_damage(options.run, console);
}

}  // namespace

void describe_show(Command& command) {
  command.example(
      "Example:\n  c2rl show runs/navigation\n\n"
      "Prints the result as c2rl solve did when the run ended. Nothing is computed, and nothing is changed.");
  const auto options = std::make_shared<ShowOptions>();
  command.argument("RUN", options->run, "run directory");
  command.flag("--json", options->json, "the result as JSON, and nothing else");
  command.does([options](const Console& console) { return run_show(*options, console); });
}

}  // namespace c2rl
