#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/json.h"
#include "c2rl/base/text.h"
#include "c2rl/cli/commands.h"
#include "c2rl/cli/damage.h"
#include "c2rl/cli/table.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/flatten.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/evaluation.h"
#include "c2rl/run/helpers.h"

namespace c2rl {
namespace {

struct EvaluateOptions {
  std::string run;
  std::optional<std::string> policy;
  int episodes = 1000;
  std::int64_t seed = 0;
  bool json = false;
};

std::string plus_minus(double value, double spread) {
  return spread > 0 ? fmt::format("{} ± {}", format_number(value), format_number(spread))
                    : format_number(value);
}

/// What is evaluated: the mixture of a run, or one policy in its place.
struct Evaluated {
  MixedPolicy policies;
  std::string name;                   // "mixture" or "policy"
  std::vector<ResultPolicy> members;  // ids and weights
};

Evaluated find_evaluated(const EvaluateOptions& options, const RunDirectory& directory, const World& world) {
  if (!options.policy) return {load_mixture(directory, world), "mixture", directory.read_result().policies};
  // Within the run, or from where the command runs: the shell completes the latter.
  const bool within = std::filesystem::exists(directory.path() + "/" + *options.policy);
  const PolicyPtr policy =
      within ? directory.load_policy(*options.policy, world) : load_policy(*options.policy, world);
  const std::string id = std::filesystem::path(*options.policy).stem().string();
  return {MixedPolicy(Vector::Ones(1), {policy}), "policy", {ResultPolicy{.id = id, .weight = 1}}};
}

std::string decision_words(const RunEvaluation& evaluation, const std::string& subject, int episodes) {
  if (evaluation.verdict != Verdict::undecided) return "";
  if (!evaluation.episodes_to_decide) {
    return fmt::format("No number of episodes would decide it: the {} lies on the boundary of the target.\n",
                       subject);
  }
  return fmt::format("About {:.0f} more episodes per policy would decide it.\n",
                     *evaluation.episodes_to_decide - episodes);
}

std::string describe(const RunEvaluation& evaluation, const Evaluated& evaluated, const Problem& problem,
                     const std::optional<Vector>& exact, int episodes) {
  const int m = static_cast<int>(evaluation.measurement.size());
  std::vector<std::vector<std::string>> rows = {{"policy", "weight", "episodes", "cut"}};
  rows[0].insert(rows[0].end(), problem.world.measurements.begin(), problem.world.measurements.end());
  for (std::size_t i = 0; i < evaluated.members.size(); ++i) {
    const Measured& member = evaluation.members[i];
    rows.push_back({evaluated.members[i].id, format_number(evaluated.members[i].weight),
                    fmt::format("{}", member.episodes), fmt::format("{}", member.cut)});
    for (int k = 0; k < m; ++k) {
      rows.back().push_back(plus_minus(member.point[k], member.standard_error[k]));
    }
  }
  if (evaluated.members.size() > 1) {
    rows.push_back({"mixture", "1", "", ""});
    for (int k = 0; k < m; ++k)
      rows.back().push_back(plus_minus(evaluation.measurement[k], evaluation.standard_error[k]));
  }
  if (exact) {
    rows.push_back({"exact", "1", "", ""});
    for (int k = 0; k < m; ++k) rows.back().push_back(format_number((*exact)[k]));
  }
  std::string text = fmt::format(
      "{}: with {:.0f}% confidence the {} is {} the target.\n\n", to_string(evaluation.verdict),
      100 * evaluation.confidence, evaluated.name,
      evaluation.verdict == Verdict::undecided ? "inside or outside" : to_string(evaluation.verdict));
  text += format_table(rows) + "  ± one standard error\n\n";
  for (int k = 0; k < m; ++k) {
    text += fmt::format("  {} in [{}, {}]\n", problem.world.measurements[k],
                        format_number(evaluation.lower[k]), format_number(evaluation.upper[k]));
  }
  text += fmt::format(
      "All of these hold at once with {:g}% confidence{}.\n", 100 * evaluation.confidence,
      evaluation.assumes_nothing_unseen ? ", if what happened in none of the episodes does not matter" : "");
  return text + decision_words(evaluation, evaluated.name, episodes);
}

Json evaluation_json(const RunEvaluation& evaluation, const Evaluated& evaluated,
                     const std::optional<Vector>& exact) {
  Json json = {{"verdict", to_string(evaluation.verdict)},
               {"confidence", evaluation.confidence},
               {"measurement", to_json(evaluation.measurement)},
               {"standard_error", to_json(evaluation.standard_error)},
               {"lower", to_json(evaluation.lower)},
               {"upper", to_json(evaluation.upper)},
               {"assumes_nothing_unseen", evaluation.assumes_nothing_unseen},
               {"exact_measurement", exact ? to_json(*exact) : Json(nullptr)},
               {"episodes_to_decide",
                evaluation.episodes_to_decide ? Json(*evaluation.episodes_to_decide) : Json(nullptr)},
               {"members", Json::array()}};
  for (std::size_t i = 0; i < evaluated.members.size(); ++i) {
    const Measured& member = evaluation.members[i];
    json["members"].push_back({{"id", evaluated.members[i].id},
                               {"measurement", to_json(member.point)},
                               {"standard_error", to_json(member.standard_error)},
                               {"episodes", member.episodes},
                               {"terminated", member.episodes - member.cut},
                               {"truncated", member.cut},
                               {"env_steps", member.env_steps}});
  }
  return json;
}

int run_evaluate(const EvaluateOptions& options, const Console& console) {
  if (options.episodes < 2) throw InputError({.field = "--episodes"}, "expected a whole number, 2 or more");
  const auto [directory, problem] = together(console.ranks, [&] {
    const RunDirectory run = RunDirectory::open(options.run);
    return std::pair(run, read_problem(Config::read(run.problem_file()), {.ranks = console.ranks}));
  });
  if (!console.ranks.is_first()) {
    help(problem, console.ranks);
    return 0;
  }
  const Helpers helpers(console.ranks);
  const Evaluated evaluated = find_evaluated(options, directory, problem.world);
  const Rng rng = Rng(static_cast<std::uint64_t>(options.seed)).fork("evaluate");
  const RunEvaluation evaluation = evaluate_run(problem, evaluated.policies, options.episodes, rng);
  std::optional<Vector> exact;
  if (problem.world.model) exact = evaluate(*problem.world.model, evaluated.policies).measurement;
  console.out << (options.json ? to_text(evaluation_json(evaluation, evaluated, exact), 2) + "\n"
                               : describe(evaluation, evaluated, problem, exact, options.episodes));
  return report_damage(options.run, console);
}

void run_flatten(const std::string& run, const Console& console) {
  const RunDirectory directory = RunDirectory::resume(run);
  const Problem problem = read_problem(Config::read(directory.problem_file()));
  if (!problem.world.model) {
    throw InputError({.file = directory.problem_file(), .field = "environment.kind"},
                     "has no model with finitely many states, which a flat policy is computed from");
  }
  const MixedPolicy mixed = load_mixture(directory, problem.world);
  const PolicyPtr flat = flatten(*problem.world.model, mixed);
  const Vector before = evaluate(*problem.world.model, mixed).measurement;
  const Vector after = evaluate(*problem.world.model, *flat).measurement;
  directory.save_policy_as(RunDirectory::kFlatPolicy, *flat);
  std::vector<std::vector<std::string>> rows = {{"", "mixture", "flat policy", "difference"}};
  for (int k = 0; k < before.size(); ++k) {
    rows.push_back({problem.world.measurements[k], format_number(before[k]), format_number(after[k]),
                    fmt::format("{:.1e}", after[k] - before[k])});
  }
  console.out << fmt::format(
      "One randomised policy in place of {}, by exact evaluation:\n\n{}\nSaved as {}/{}.\n", mixed.size(),
      format_table(rows), directory.path(), RunDirectory::kFlatPolicy);
}

}  // namespace

void describe_evaluate(Command& command) {
  command.example(
      "Examples:\n  c2rl evaluate runs/navigation --episodes 10000\n"
      "  c2rl evaluate runs/navigation --policy policies/flat.safetensors\n\n"
      "Says whether the mixture is inside or outside the target with 95% confidence, and how many more\n"
      "episodes would decide it when neither can be said.");
  const auto options = std::make_shared<EvaluateOptions>();
  command.argument("RUN", options->run, "run directory");
  command.option("--policy", options->policy,
                 "a policy file, of the run or any other, to evaluate in place of the mixture");
  command.option("--episodes", options->episodes, "for each policy of the mixture");
  command.option("--seed", options->seed, "of the episodes");
  command.flag("--json", options->json, "the result as JSON, and nothing else");
  command.does_together([options](const Console& console) { return run_evaluate(*options, console); });
}

void describe_flatten(Command& command) {
  command.example(
      "Example:\n  c2rl flatten runs/navigation\n\n"
      "The flat policy visits states and takes actions as often as the mixture does, so it measures the "
      "same.");
  const auto run = std::make_shared<std::string>();
  command.argument("RUN", *run, "run directory");
  command.does([run](const Console& console) {
    run_flatten(*run, console);
    return 0;
  });
}

}  // namespace c2rl
