#pragma once

#include "c2rl/solve/solver.h"

namespace c2rl {

/// The solvers behind `make_solver`.

/// Conditional gradient: step 2/(t+1) (Algorithm 1), exact line search, away steps, pairwise steps.
std::unique_ptr<Solver> cg(SetPtr target, const SolverOptions& options);
std::unique_ptr<Solver> cg_line_search(SetPtr target, const SolverOptions& options);
std::unique_ptr<Solver> away_step(SetPtr target, const SolverOptions& options);
std::unique_ptr<Solver> pairwise(SetPtr target, const SolverOptions& options);

/// Wolfe's method, for targets of one point, and the paper's generalisation of it (Algorithm 2).
std::unique_ptr<Solver> wolfe_mnp(SetPtr target, const SolverOptions& options);
std::unique_ptr<Solver> modified_mnp(SetPtr target, const SolverOptions& options);

/// Algorithm 2 with the whole correction solved between two oracle calls.
std::unique_ptr<Solver> corrective_mnp(SetPtr target, const SolverOptions& options);

/// What others do: the cone game of Miryoosefi et al. 2019, the Lagrangian game of Le et al. 2019 without an
/// objective, and the single penalised policy of Tessler et al. 2018.
std::unique_ptr<Solver> appropo(SetPtr target, const SolverOptions& options);
std::unique_ptr<Solver> lagrangian(SetPtr target, const SolverOptions& options);
std::unique_ptr<Solver> rcpo(SetPtr target, const SolverOptions& options);

}  // namespace c2rl
