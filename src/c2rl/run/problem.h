#pragma once

#include <memory>
#include <optional>
#include <string>

#include "c2rl/base/config.h"
#include "c2rl/geometry/target.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/solve/maximize.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

/// Everything a problem file says, ready to run.
struct Problem {
  std::string name;
  std::uint64_t seed = 0;
  World world;
  Target target;
  std::optional<int> maximize;  // the measurement to maximise inside the target
  MaximizeMethod maximize_method = MaximizeMethod::direct;
  std::string oracle_kind;
  std::unique_ptr<Oracle> oracle;
  /// How often an estimating oracle is asked again, with four times the effort each time, when its answer
  /// does not improve the mixture.
  int oracle_retries = 2;
  std::string solver_kind;
  SolverOptions solver;
  /// The problem with all defaults filled in, as TOML.
  std::string resolved;
};

/// Reads and checks a whole problem; whatever is wrong is an InputError with file, line and field, and so is
/// a key that nothing knows.
Problem read_problem(const Config& config);

/// A fresh solver for the problem: a Maximizer when it maximises.
std::unique_ptr<Solver> make_solver(const Problem& problem);

}  // namespace c2rl
