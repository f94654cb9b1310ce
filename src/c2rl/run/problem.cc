#include "c2rl/run/problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/mdp/environments.h"
#include "c2rl/oracle/oracles.h"
#include "c2rl/run/target_section.h"

namespace c2rl {
namespace {

constexpr std::int64_t kMostCalls = 1'000'000'000;

std::string read_solver_kind(const Config& section) {
  std::vector<std::string> names;
  for (const SolverKind& kind : solver_kinds()) names.push_back(kind.name);
  return section.choice("kind", names, names.front());
}

AppropoOptions read_appropo(const Config& section) {
  AppropoOptions own;
  own.kappa = section.number("kappa", own.kappa);
  section.expect(own.kappa > 0, "kappa", "a number above 0");
  own.momentum = section.number("momentum", own.momentum);
  section.expect(own.momentum >= 0 && own.momentum < 1, "momentum", "a number from 0 to below 1");
  own.cache = section.boolean("cache", own.cache);
  if (own.cache) {
    const std::int64_t rounds = section.integer("max_cache_rounds", own.max_cache_rounds);
    section.expect(rounds > 0 && rounds <= kMostCalls, "max_cache_rounds",
                   fmt::format("a whole number from 1 to {}", kMostCalls));
    own.max_cache_rounds = static_cast<int>(rounds);
  }
  return own;
}

LagrangianOptions read_lagrangian(const Config& section) {
  LagrangianOptions own;
  for (const auto& [key, value] : {std::pair<const char*, double*>{"multiplier_bound", &own.multiplier_bound},
                                   {"eta", &own.eta},
                                   {"gap", &own.gap}}) {
    *value = section.number(key, *value);
    section.expect(*value > 0, key, "a number above 0");
  }
  return own;
}

RcpoOptions read_rcpo(const Config& section) {
  RcpoOptions own;
  own.step = section.number("step", own.step);
  section.expect(own.step > 0, "step", "a number above 0");
  return own;
}

/// rcpo is one training run: each call goes on from the policy of the last, and none is asked for again.
void prepare_rcpo(const Config& oracle, Problem& problem) {
  const std::string kind = oracle.text("kind", "a2c");
  if (kind != "a2c")
    oracle.fail("kind",
                fmt::format("found {}; solver rcpo trains one policy on and on, which takes a2c", kind));
  oracle.expect(oracle.boolean("warm_start", false), "warm_start",
                "true: solver rcpo trains one policy on and on");
  problem.oracle_retries = 0;
}

void read_solver(const Config& section, Problem& problem) {
  problem.solver.tolerance = section.number("tolerance", problem.solver.tolerance);
  section.expect(problem.solver.tolerance > 0, "tolerance", "a number above 0");
  const std::int64_t calls = section.integer("max_oracle_calls", problem.solver.max_oracle_calls);
  section.expect(calls > 0 && calls <= kMostCalls, "max_oracle_calls",
                 fmt::format("a whole number from 1 to {}", kMostCalls));
  problem.solver.max_oracle_calls = static_cast<int>(calls);
  if (section.has("first_direction")) {
    problem.solver.first_direction = section.vector("first_direction");
    section.expect(problem.solver.first_direction->size() == problem.world.dim(), "first_direction",
                   fmt::format("{} numbers, one per measurement", problem.world.dim()));
  }
  // Asked for only where they mean something, so that other kinds of solver reject them.
  if (problem.solver_kind == "appropo") problem.solver.own = read_appropo(section);
  if (problem.solver_kind == "lagrangian") problem.solver.own = read_lagrangian(section);
  if (problem.solver_kind == "rcpo") problem.solver.own = read_rcpo(section);
  try {
    make_solver(problem);
  } catch (const InputError& error) {
    section.fail("kind", error.what());
  }
}

}  // namespace

Problem read_problem(const Config& config) {
  Problem problem;
  problem.name = config.text("name", "problem");
  const std::int64_t seed = config.integer("seed", 0);
  config.expect(seed >= 0, "seed", "a whole number, 0 or more");
  problem.seed = static_cast<std::uint64_t>(seed);
  problem.world = make_world(config.section("environment"));
  problem.solver_kind = read_solver_kind(config.section("solver"));
  const Config target = config.section("target");
  problem.target = read_target(target, problem.world.measurements);
  if (target.has("maximize")) {
    const std::string name = target.choice("maximize", problem.world.measurements);
    const auto& names = problem.world.measurements;
    problem.maximize = static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
    if (problem.solver_kind != "lagrangian") {  // which has its own
      const std::vector<std::string> methods = {"direct", "bisection"};
      const std::string method = target.choice("maximize_method", methods, methods.front());
      problem.maximize_method = method == "direct" ? MaximizeMethod::direct : MaximizeMethod::bisection;
    }
  }
  const Config oracle = config.section("oracle");
  if (problem.solver_kind == "rcpo") prepare_rcpo(oracle, problem);
  problem.oracle = make_oracle(oracle, problem.world);
  problem.oracle_kind = oracle.text("kind", oracle_kinds().front().name);
  if (problem.oracle_kind != "dynamic-programming") {
    const std::int64_t retries = oracle.integer("retries", problem.oracle_retries);
    oracle.expect(retries >= 0 && retries <= 20, "retries", "a whole number from 0 to 20");
    problem.oracle_retries = static_cast<int>(retries);
  }
  read_solver(config.section("solver"), problem);
  config.reject_unknown_keys();
  problem.resolved = config.resolved();
  return problem;
}

std::unique_ptr<Solver> make_solver(const Problem& problem) {
  if (problem.maximize) {
    return make_maximizer(problem.maximize_method, problem.solver_kind, problem.target.set, *problem.maximize,
                          problem.solver);
  }
  return make_solver(problem.solver_kind, problem.target.set, problem.solver);
}

}  // namespace c2rl
