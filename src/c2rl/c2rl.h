#pragma once

/// The door for programs that use the library (docs/library.md): convex targets, solvers, worlds, policies, oracles, and
/// whole problems from files.

// Numbers, errors, randomness, options of kinds.
#include "c2rl/base/config.h"
#include "c2rl/base/error.h"
#include "c2rl/base/kinds.h"
#include "c2rl/base/options.h"
#include "c2rl/base/quantiles.h"
#include "c2rl/base/random.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/base/text.h"
#include "c2rl/base/vector.h"
#include "c2rl/base/version.h"
// Targets.
#include "c2rl/geometry/constraint.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/geometry/target.h"
#include "c2rl/geometry/target_section.h"
// Solvers over points of R^m.
#include "c2rl/solve/appropo.h"
#include "c2rl/solve/lagrangian.h"
#include "c2rl/solve/maximize.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/rcpo.h"
#include "c2rl/solve/solver.h"
#include "c2rl/solve/solver_kinds.h"
#include "c2rl/solve/verify.h"
// Worlds to act in, and policies.
#include "c2rl/environments/drn.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/grid.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/flatten.h"
#include "c2rl/mdp/limits.h"
#include "c2rl/mdp/mixed_policy.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/model_builder.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/mdp/total_range.h"
#include "c2rl/mdp/world.h"
// Datasets.
#include "c2rl/offline/dataset.h"
#include "c2rl/offline/off_policy.h"
// Oracles.
#include "c2rl/oracle/a2c.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/oracle/q_learning.h"
// Problems, runs and results.
#include "c2rl/run/evaluation.h"
#include "c2rl/run/experiment.h"
#include "c2rl/run/mix.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/result.h"
#include "c2rl/run/run_directory.h"
#include "c2rl/run/solve.h"
