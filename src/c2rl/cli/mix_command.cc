#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/text.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/print_result.h"
#include "c2rl/cli/table.h"
#include "c2rl/run/mix.h"
#include "c2rl/run/result_json.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

constexpr const char* kExample = R"(Example:
  c2rl mix points.csv --constraint "0 <= steps <= 11" --constraint "0 <= risk <= 0.5"

POINTS.csv has a header with the measurement names and one row a policy; the columns `id` (a name for the policy)
and `NAME_se` (the standard error of NAME) are optional; '-' reads standard input.

Constraints compare linear expressions of the measurements:
  "0 <= steps <= 11"    "2*steps + risk <= 12"    "risk == 0.5"    "abs(a - b) <= 0.1"    "norm(a - 1, b - 2) <= 3"

--maximize and --minimize take any linear expression, with constraints or without:
  c2rl mix points.csv --constraint "risk <= 0.5" --minimize "steps + 3*risk"

Exit status: 0 feasible or optimal, 3 no mixture is feasible, 4 neither is known, 2 bad input.)";

/// In place of a solver's name.
constexpr const char* kAllSolvers = "all";

struct MixOptions {
  std::string points_file;
  std::vector<std::string> constraints;
  std::string solver = solver_kinds().standard().name;
  std::optional<std::string> maximize, minimize;
  // Known points cost nothing to ask, so the answer may as well be exact.
  double tolerance = 1e-9;
  int max_oracle_calls = 10000;
  std::optional<std::string> verify;
  std::optional<std::string> out_directory;
  bool json = false, force = false;
};

Target parse_target(const MixOptions& options, const Points& points) {
  if (options.constraints.empty() && !options.maximize && !options.minimize) {
    throw InputError({.field = "--constraint"}, "expected at least one, for example --constraint \"" +
                                                    points.names[0] +
                                                    " <= 1\", or something to --maximize or --minimize");
  }
  std::vector<Constraint> constraints;
  constraints.reserve(options.constraints.size());
  for (const std::string& text : options.constraints) {
    constraints.push_back(parse_constraint(text, points.names, {.field = "--constraint"}));
  }
  return make_target(points.names, std::move(constraints));
}

std::optional<Objective> parse_objective(const MixOptions& options, const Points& points) {
  if (options.maximize && options.minimize) {
    throw InputError({.field = "--minimize"},
                     "found beside --maximize, expected one of them: to maximize both, add them up, as in "
                     "--maximize \"a - b\"");
  }
  if (options.maximize)
    return Objective{parse_linear(*options.maximize, points.names, {.field = "--maximize"}), Sense::maximize};
  if (options.minimize)
    return Objective{parse_linear(*options.minimize, points.names, {.field = "--minimize"}), Sense::minimize};
  return std::nullopt;
}

/// Asked before anything is computed.
void expect_free(const std::string& directory, bool force) {
  if (std::filesystem::exists(directory + "/problem.toml"))
    throw InputError({.file = directory}, "holds a run, expected another directory");
  const std::string file = directory + "/result.json";
  if (!force && std::filesystem::exists(std::filesystem::symlink_status(file)))
    throw InputError({.file = file}, "is there already; --force replaces it");
}

void save(const std::string& directory, const Result& result) {
  make_directories(directory);
  write_file(directory + "/result.json", to_json_text(result));
}

/// The faults of a saved result, `file` being result.json or the directory it is in. Constraints on the command
/// line must be those of the result.
int verify_saved(const MixOptions& options, const Points& points, std::ostream& out) {
  std::string file = *options.verify;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) file += "/result.json";
  const std::string text = read_file(file);
  const Result result = parse_result(text, file);
  std::vector<std::string> faults;
  if (!options.constraints.empty()) {
    std::vector<std::string> given, saved = result.constraints;
    for (const std::string& constraint : options.constraints)
      given.push_back(parse_constraint(constraint, points.names, {.field = "--constraint"}).text);
    std::ranges::sort(given);
    std::ranges::sort(saved);
    if (given != saved) {
      faults.push_back(fmt::format("the result is about \"{}\", not about \"{}\"", join(saved, "\", \""),
                                   join(given, "\", \"")));
    }
  }
  // The bound stands in the file twice.
  const double bound = JsonObject(parse_json(text)).number("distance_lower_bound");
  if (bound != result.certificate.bound) {
    faults.push_back(
        fmt::format("the lower bound is {} in one place and {} in another", bound, result.certificate.bound));
  }
  for (const std::string& fault : verify_mix(points, result)) faults.push_back(fault);
  if (faults.empty()) {
    out << fmt::format(
        "verified: {}{}, distance {}, lower bound {}, recomputed from the points, the weights and the "
        "constraints.\n",
        to_string(result.status),
        result.claim.proven ? "" : fmt::format(" with {:.0f}% confidence", 100 * result.claim.level),
        format_number(result.distance), format_number(result.certificate.bound));
    return 0;
  }
  out << "not verified:\n";
  for (const std::string& fault : faults) out << "  " << fault << "\n";
  return 4;
}

/// Every solver on the same points, best bound shared: calls, policies and error side by side.
int compare(const MixOptions& options, const Points& points, const Target& target,
            const std::optional<Objective>& objective, const SolverOptions& solver_options,
            const Console& console) {
  std::vector<Result> results;
  double best_bound = 0;
  for (const SolverKind* kind : solver_kinds().all()) {
    try {
      results.push_back(mix(points, target, kind->name, solver_options, objective));
    } catch (const UnsuitableTargetError&) {
      continue;
    }
    best_bound = std::max(best_bound, results.back().certificate.bound);
  }
  if (options.json) {
    Json all = Json::array();
    for (const Result& result : results) all.push_back(to_json(result));
    console.out << to_text(all, 2) << "\n";
    return exit_status(results[0].status);
  }
  std::vector<std::vector<std::string>> rows = {
      {"solver", "status", "oracle calls", "policies kept", "most stored", "distance", "error at most"}};
  for (const Result& result : results) {
    const double error = std::max(0.0, error_above(result.distance, best_bound));
    rows.push_back({result.solver, to_string(result.status), fmt::format("{}", result.oracle_calls),
                    fmt::format("{}", result.policies.size()), fmt::format("{}", result.policies_stored_max),
                    format_number(result.distance, result.measurement.norm()), format_number(error)});
  }
  console.out << format_table(rows, {.width = console.out_columns})
              << fmt::format(
                     "\nerror: 1/2 distance^2 above its best proven lower bound. At most {} calls each.\n",
                     options.max_oracle_calls);
  return exit_status(results[0].status);
}

int run_mix(const MixOptions& options, const Console& console) {
  const Points points = read_points(options.points_file);
  if (options.verify) return verify_saved(options, points, console.out);
  if (options.out_directory) expect_free(*options.out_directory, options.force);
  const Target target = parse_target(options, points);
  const std::optional<Objective> objective = parse_objective(options, points);
  const SolverOptions solver_options{.tolerance = options.tolerance,
                                     .max_oracle_calls = options.max_oracle_calls};
  if (options.solver == kAllSolvers)
    return compare(options, points, target, objective, solver_options, console);

  const Result result = mix(points, target, options.solver, solver_options, objective);
  if (options.out_directory) save(*options.out_directory, result);
  console.out << print(result, target, options.json ? Format::json : Format::text);
  return exit_status(result.status);
}

}  // namespace

void describe_mix(Command& command) {
  command.example(kExample);
  const auto options = std::make_shared<MixOptions>();
  command.argument("POINTS.csv", options->points_file, "measured policies");
  command.option("-c,--constraint", options->constraints, "what the mixture must satisfy; repeatable");
  command.option("--maximize", options->maximize, "find the most of this expression inside the constraints");
  command.option("--minimize", options->minimize, "find the least of this expression inside the constraints");
  command.option("--solver", options->solver,
                 std::string(kAllSolvers) + " (compares them), " + join(solver_kinds().names(), ", "));
  command.option("--tolerance", options->tolerance, "distance that counts as inside");
  command.option("--max-oracle-calls", options->max_oracle_calls, "stop after this many");
  command.option("--out", options->out_directory, "directory to leave result.json in");
  command.flag("--force", options->force, "replace the result.json that is there");
  command.option(
      "--verify", options->verify,
      "check a saved result.json, or the one in a directory, against the points, and nothing else");
  command.flag("--json", options->json, "the result as JSON, and nothing else");
  command.does([options](const Console& console) { return run_mix(*options, console); });
}

}  // namespace c2rl
