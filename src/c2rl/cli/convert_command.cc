#include <memory>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/cli/commands.h"
#include "c2rl/environments/model_file.h"
#include "c2rl/run/problem.h"

namespace c2rl {
namespace {

struct ConvertOptions {
  std::string from, to;
};

/// The model of a file, or of a problem's environment.
TabularModel model_of(const ConvertOptions& options, StateLabels& labels) {
  if (!options.from.ends_with(".toml")) return read_model_file(options.from, {}, &labels);
  const Problem problem = read_problem(Config::read(options.from));
  if (!problem.world.model)
    throw InputError({.file = options.from, .field = "environment.kind"},
                     "this environment has no model to write");
  return *problem.world.model;
}

int run_convert(const ConvertOptions& options, const Console& console) {
  check_model_file_name(options.to);
  StateLabels labels;
  const TabularModel model = model_of(options, labels);
  write_model_file(model, options.to, labels);
  console.out << fmt::format("{}: {} states, {} choices, {} transitions; measurements: {}\n", options.to,
                             model.states, model.choices(), model.transitions(),
                             join(model.measurements, ", "));
  if (model.discount < 1 || model.horizon > 0) {
    std::string left = model.discount < 1 ? fmt::format("discount = {}", format_number(model.discount)) : "";
    if (model.horizon > 0) left += fmt::format("{}horizon = {}", left.empty() ? "" : " and ", model.horizon);
    console.out << fmt::format("{} {} no part of a model file; say so in [environment] where it is used\n",
                               left, model.discount < 1 && model.horizon > 0 ? "are" : "is");
  }
  return 0;
}

}  // namespace

void describe_convert(Command& command) {
  command.example(
      "Example:\n  c2rl convert examples/courier.drn courier.umb\n"
      "  c2rl convert examples/navigation.toml navigation.drn\n\n"
      "The form is in the name: .drn is text, .umb is binary and much faster to read. Storm reads and writes "
      "both,\n"
      "PRISM and Modest the second. Names of actions are left behind.");
  const auto options = std::make_shared<ConvertOptions>();
  command.argument("FROM", options->from,
                   "model (.drn, .umb), or a problem file (.toml) whose environment has one");
  command.argument("TO", options->to, "file to write (.drn, .umb)");
  command.does([options](const Console& console) { return run_convert(*options, console); });
}

}  // namespace c2rl
