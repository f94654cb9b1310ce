#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/base/ranks.h"
#include "c2rl/geometry/target.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/run/objective.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {

/// How an oracle that estimates is asked.
struct PatienceOptions {
  int retries = 2;
  double checkpoint_seconds = 30;

  void visit(OptionVisitor& visitor);
};

/// What every oracle may take, and how often it may fail.
struct OracleLimits {
  double time_limit = kInfinity;  // seconds
  int failures = 2;
  double max_env_steps = kInfinity;  // of a run

  void visit(OptionVisitor& visitor);
};

/// How sure a mixture must be that is found with sampled measurements.
struct ConfirmationOptions {
  double confidence = 0.95;
  std::int64_t max_episodes = 100'000'000;
  std::int64_t max_steps = 100'000'000;

  void visit(OptionVisitor& visitor);
};

/// Everything a problem file says, ready to run.
struct Problem {
  std::string name;
  std::uint64_t seed = 0;
  World world;
  Target target;
  std::optional<Objective> objective;
  ConfirmationOptions confirmation;
  const OracleKind* oracle_kind = nullptr;
  std::shared_ptr<const Oracle> oracle;
  PatienceOptions patience;
  OracleLimits limits;
  const SolverKind* solver_kind = nullptr;
  SolverMaker solver_maker;
  SolverOptions solver;
  /// The problem with all defaults filled in, as TOML.
  std::string resolved;
  /// The files that it names, by the keys that name them.
  std::map<std::string, std::string> files;
};

/// What the calling program brings to a problem of kinds that stand for it: environment.kind = "python", oracle.kind =
/// "python", target.set.kind = "python".
struct Provided {
  std::optional<World> world = {};  // the section's, with what acts in it
  std::shared_ptr<const Oracle> oracle = nullptr;
  SetPtr set = nullptr;
  /// The ranks that it is solved on: all of them read the problem, and all but the first then help (helpers.h).
  Ranks& ranks = lone_rank();
};

/// Reads and checks a whole problem; whatever is wrong is an InputError with file, line and field, and so is
/// a key that nothing knows.
Problem read_problem(const Config& config, const Provided& provided = {});

/// A fresh solver for the problem, with its objective where it has one.
std::unique_ptr<Solver> make_solver(const Problem& problem);
/// The same for another target, another number of calls and another tolerance.
std::unique_ptr<Solver> make_solver(const Problem& problem, SetPtr target, int max_oracle_calls,
                                    double tolerance);

/// What an agent is trained for whose steps are collected, unless one is told: what the solver asks first, and what that comes to
/// for each measurement by itself.
std::vector<Vector> directions_to_collect(const Problem& problem);

}  // namespace c2rl
