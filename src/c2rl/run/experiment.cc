#include "c2rl/run/experiment.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/sha256.h"
#include "c2rl/base/text.h"
#include "c2rl/run/run_problem.h"

namespace c2rl {
namespace {

const std::vector<std::string>& quantities() {
  static const std::vector<std::string> kNames = {
      "final-error",       "most-policies",       "calls-to-accuracy", "policies-to-accuracy",
      "steps-to-accuracy", "seconds-to-accuracy", "exponent"};
  return kNames;
}

std::vector<std::string> names_of(const auto& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

/// The names of a section's keys become parts of the names of files.
void expect_file_names(const Config& section) {
  for (const std::string& name : section.keys()) {
    if (!is_file_name(name)) section.fail(name, "expected a name that a file can have");
  }
}

/// What the rows of cells that differ in the seed only depend on, but for the seed; nothing where it cannot be
/// read.
std::map<std::string, std::string> values_of(const Cell& cell) {
  try {
    Config config = Config::read(cell.file);
    for (const std::string& assignment : cell.overrides) config.override_value(assignment);
    return run_problem(read_problem(config)).values();
  } catch (const InputError&) {
    return {};
  }
}

void add_fingerprints(std::vector<Cell>& cells) {
  constexpr int kFormat = 1;  // of a cell's file
  std::map<std::string, std::map<std::string, std::string>> read;
  for (Cell& cell : cells) {
    const std::vector<std::string> but_seed(cell.overrides.begin(), cell.overrides.end() - 1);
    const std::string key = cell.file + "\n" + join(but_seed, "\n");
    if (!read.contains(key)) read[key] = values_of(cell);
    std::map<std::string, std::string> values = read[key];
    if (values.empty()) continue;
    values["seed"] = fmt::format("{}", cell.seed);
    std::string text = fmt::format("format {}\n", kFormat);
    for (const auto& [name, value] : values) text += fmt::format("{} = {}\n", name, value);
    cell.fingerprint = sha256(text);
  }
}

Expectation read_expectation(const Config& section, const Experiment& experiment) {
  const std::vector<std::string> methods = names_of(experiment.methods);
  Expectation claim;
  claim.says = section.text("says");
  claim.method = section.choice("method", methods);
  if (section.has("problem")) claim.problem = section.choice("problem", names_of(experiment.problems));
  claim.where = section.text("where", "");
  claim.quantity = section.choice("quantity", quantities());
  if (claim.quantity.ends_with("-to-accuracy")) {
    claim.accuracy = section.number("accuracy");
    section.expect(std::find(experiment.accuracies.begin(), experiment.accuracies.end(), claim.accuracy) !=
                       experiment.accuracies.end(),
                   "accuracy", "one of the experiment's accuracies");
  }
  if (section.has("than")) {
    claim.than = section.choice("than", methods);
    claim.factor = section.number("factor", 1.0);
  } else {
    claim.at_most = section.number("at_most");
  }
  return claim;
}

}  // namespace

Experiment read_experiment(const Config& config) {
  Experiment experiment;
  experiment.name = config.text("name", "experiment");
  const std::int64_t seeds = config.integer("seeds", 1);
  config.expect(seeds >= 1 && seeds <= 100'000, "seeds", "a whole number from 1 to 100000");
  experiment.seeds = static_cast<int>(seeds);
  experiment.overrides = config.text_list("set", std::vector<std::string>{});
  const Vector accuracies = config.vector("accuracies", Vector{{1e-2, 1e-3, 1e-4, 1e-5, 1e-6}});
  experiment.accuracies.assign(accuracies.begin(), accuracies.end());
  config.expect(std::is_sorted(experiment.accuracies.rbegin(), experiment.accuracies.rend()) &&
                    accuracies.size() > 0 && accuracies.minCoeff() > 0,
                "accuracies", "falling numbers above 0");

  const Config problems = config.section("problems"), methods = config.section("methods"),
               axes = config.section("axes"), claims = config.section("claims");
  for (const std::string& name : problems.keys()) {
    const Config problem = problems.section(name);
    experiment.problems.push_back(
        {name, problem.file_path("file"), problem.text_list("set", std::vector<std::string>{})});
  }
  for (const std::string& name : methods.keys()) {
    experiment.methods.push_back({name, methods.section(name).text_list("set")});
  }
  for (const std::string& name : axes.keys()) {
    Experiment::Axis axis{name, {}};
    for (const std::string& variant : axes.section(name).keys()) {
      axis.variants.push_back({variant, axes.section(name).text_list(variant)});
    }
    experiment.axes.push_back(std::move(axis));
  }
  expect_file_names(problems);
  expect_file_names(methods);
  for (const std::string& name : axes.keys()) expect_file_names(axes.section(name));
  config.expect(is_file_name(experiment.name), "name", "a name that a directory can have");
  config.expect(!experiment.problems.empty(), "problems", "at least one [problems.NAME]");
  config.expect(!experiment.methods.empty(), "methods", "at least one [methods.NAME]");
  for (const std::string& name : claims.keys()) {
    experiment.expectations.push_back(read_expectation(claims.section(name), experiment));
  }
  config.reject_unknown_keys();
  return experiment;
}

std::vector<Cell> cells_of(const Experiment& experiment) {
  // All choices of one variant per axis.
  std::vector<std::vector<const Variant*>> combinations = {{}};
  for (const Experiment::Axis& axis : experiment.axes) {
    std::vector<std::vector<const Variant*>> longer;
    for (const auto& combination : combinations) {
      for (const Variant& variant : axis.variants) {
        longer.push_back(combination);
        longer.back().push_back(&variant);
      }
    }
    combinations = std::move(longer);
  }
  std::vector<Cell> cells;
  for (const Experiment::Problem& problem : experiment.problems) {
    for (const auto& combination : combinations) {
      for (const Variant& method : experiment.methods) {
        for (int seed = 0; seed < experiment.seeds; ++seed) {
          Cell cell{problem.name, method.name, problem.name, {}, seed, problem.file, experiment.overrides};
          const auto add = [&](const std::vector<std::string>& more) {
            cell.overrides.insert(cell.overrides.end(), more.begin(), more.end());
          };
          add(problem.overrides);
          for (const Variant* variant : combination) {
            cell.name += "_" + variant->name;
            cell.variants.push_back(variant->name);
            add(variant->overrides);
          }
          add(method.overrides);
          add({fmt::format("seed={}", seed)});
          cell.name += fmt::format("_{}_{}", method.name, seed);
          cells.push_back(std::move(cell));
        }
      }
    }
  }
  add_fingerprints(cells);
  return cells;
}

}  // namespace c2rl
