#include "c2rl/run/problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/geometry/target_section.h"
#include "c2rl/run/helpers.h"
#include "c2rl/run/problem_keys.h"

namespace c2rl {
namespace {

const std::vector<std::string> kSections = {"name", "seed", "environment", "target", "oracle", "solver"};

void read_solver(const Config& section, Problem& problem) {
  const SolverKind& kind = solver_kinds().named_in(section, solver_kinds().standard().name);
  try {
    kind.check_suits(*problem.target.set);
  } catch (const InputError& error) {
    section.fail("kind", error);
  }
  problem.solver_kind = &kind;
  problem.solver = read_options<SolverOptions>(section);
  if (const auto& first = problem.solver.first_direction) {
    section.expect(first->size() == problem.world.dim() && first->allFinite(), "first_direction",
                   fmt::format("{} finite numbers, one per measurement", problem.world.dim()));
  }
  problem.solver_maker = kind.configure(&section);
}

bool has_objective(const Config& target) {
  const bool maximizes = target.has("maximize"), minimizes = target.has("minimize");
  return maximizes || minimizes;
}

void read_objective(const Config& section, Problem& problem) {
  if (!has_objective(section)) return;
  if (section.has("maximize") && section.has("minimize")) {
    section.fail("minimize",
                 "found beside maximize, expected one of them: to maximize both, add them up, as "
                 "in maximize = \"a - b\"");
  }
  const Sense sense = section.has("maximize") ? Sense::maximize : Sense::minimize;
  const std::string& key = sense_names().of(sense);
  Objective objective{parse_linear(section.text(key), problem.world.measurements, section.place(key)), sense};
  // A solver with a method of its own has no use for another.
  if (!problem.solver_maker.maximize) objective.method = read_options<MaximizeOptions>(section).method;
  problem.objective = std::move(objective);
}

/// The names of the oracles that can go on from a policy found earlier; the first is taken where none is
/// named.
std::vector<std::string> oracles_that_go_on() {
  std::vector<std::string> names;
  for (const OracleKind* kind : oracle_kinds().all()) {
    if (kind->can_go_on) names.push_back(kind->name);
  }
  return names;
}

void read_oracle(const Config& section, const Provided& provided, Problem& problem) {
  const bool one_run = problem.solver_kind->trains_one_policy;
  const std::string reason = fmt::format("solver {} trains one policy on and on", problem.solver_kind->name);
  const std::string standard = one_run ? oracles_that_go_on().front() : oracle_kinds().standard().name;
  const OracleKind& kind = oracle_kinds().named_in(section, standard);
  if (one_run && !kind.can_go_on) {
    section.fail("kind", fmt::format("found {}; {}, which takes {}", kind.name, reason,
                                     join(oracles_that_go_on(), " or ")));
  }
  problem.oracle_kind = &kind;
  problem.oracle =
      make_oracle(kind, section, problem.world, {.warm_start = one_run, .ranks = provided.ranks});
  if (provided.oracle) problem.oracle = provided.oracle;
  section.expect(!one_run || problem.oracle->goes_on(), "warm_start", "true: " + reason);
  if (kind.brings_world) {
    problem.world.episodes = [oracle = problem.oracle](const Policy& policy, std::int64_t first, int count,
                                                       const Rng& rng, const Pulse& listener) {
      return oracle->draw(policy, first, count, rng, listener);
    };
  }
  problem.limits.time_limit = kind.time_limit;
  problem.limits = read_options(section, problem.limits);
  if (kind.exact) return;
  if (one_run) problem.patience.retries = 0;
  problem.patience = read_options(section, problem.patience);
}

}  // namespace

void PatienceOptions::visit(OptionVisitor& visitor) {
  visitor.integer("retries", retries, between(0, 20),
                  "how often an oracle that estimates is asked again, with four times the effort each time, "
                  "when its answer does not improve the mixture");
  visitor.number(
      "checkpoint_seconds", checkpoint_seconds, {.lowest = 0, .infinite = true},
      "seconds after which the state of a call that is being made is saved again: should the run be killed, "
      "no more than that of its training is done twice; 0 or inf: never. The result does not depend on it");
}

void OracleLimits::visit(OptionVisitor& visitor) {
  visitor.number("time_limit", time_limit, {.lowest = 0, .open_below = true, .infinite = true},
                 "seconds that a call may take, evaluation of its policy included; longer is a failure");
  visitor.integer("failures", failures, between(0, 100),
                  "how often a call that fails is made again, first with the same random numbers and then "
                  "with others, before the run ends oracle-failed; it can be resumed");
  visitor.number(
      "max_env_steps", max_env_steps, {.lowest = 0, .open_below = true, .infinite = true},
      "steps in the environment that a run may take, for whatever: once they are used up, no call is "
      "begun, and no confirmation that would need more");
}

void ConfirmationOptions::visit(OptionVisitor& visitor) {
  visitor.number(
      "confidence", confidence, {.lowest = 0.5, .highest = 1, .open_above = true},
      "where measurements are sampled, a mixture is called feasible once fresh episodes say so; in "
      "this part of all runs, at least, that is then true");
  visitor.integer("max_episodes", max_episodes, between(100, 1e12),
                  "the most fresh episodes that a run may draw for that; then it ends undecided");
  visitor.integer(
      "max_steps", max_steps, between(1000, 1e15),
      "the most environment steps of such episodes, about: it ends undecided at what comes first");
}

Problem read_problem(const Config& config, const Provided& provided) {
  // First of all: a section under another name explains more than what is missing without it.
  config.reject_keys_except(kSections);
  Problem problem;
  const auto heading = read_options<ProblemHeading>(config);
  problem.name = heading.name;
  problem.seed = static_cast<std::uint64_t>(heading.seed);
  problem.world = make_world(config.section("environment"));
  if (provided.world) problem.world = *provided.world;
  share_episodes(problem.world, provided.ranks);
  const Config target = config.section("target");
  // With something to make the most of, there need be no constraint.
  problem.target = read_target(target, problem.world.measurements,
                               has_objective(target) ? Constrained::maybe : Constrained::yes, provided.set);
  read_solver(config.section("solver"), problem);
  read_objective(target, problem);
  read_oracle(config.section("oracle"), provided, problem);
  problem.confirmation = read_options<ConfirmationOptions>(config.section("target"));
  config.reject_unknown_keys();
  problem.resolved = config.resolved();
  problem.files = config.files();
  return problem;
}

std::unique_ptr<Solver> make_solver(const Problem& problem) {
  return make_solver(problem, problem.target.set, problem.solver.max_oracle_calls, problem.solver.tolerance);
}

std::unique_ptr<Solver> make_solver(const Problem& problem, SetPtr target, int max_oracle_calls,
                                    double tolerance) {
  SolverOptions options = problem.solver;
  options.tolerance = tolerance;
  options.max_oracle_calls = max_oracle_calls;
  if (problem.objective) {
    return make_maximizer(problem.objective->method, problem.solver_maker, std::move(target),
                          problem.objective->uphill(), options);
  }
  return problem.solver_maker.make(std::move(target), options);
}

std::vector<Vector> directions_to_collect(const Problem& problem) {
  std::vector<Vector> directions;
  const Vector first = make_solver(problem)->ask().value_or(Vector::Zero(problem.world.dim()));
  if (!first.isZero(0)) directions.push_back(first);
  for (int k = 0; k < problem.world.dim(); ++k) {
    Vector axis = Vector::Unit(problem.world.dim(), k);
    if (first[k] < 0) axis = -axis;
    if (directions.empty() || axis != directions.front()) directions.push_back(std::move(axis));
  }
  return directions;
}

}  // namespace c2rl
