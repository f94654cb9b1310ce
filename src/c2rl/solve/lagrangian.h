#pragma once

#include <memory>

#include "c2rl/solve/maximize.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

struct LagrangianOptions {
  double multiplier_bound = 30;
  double eta = 3;
  double gap = 0.01;

  void visit(OptionVisitor& visitor);
};

/// The Lagrangian game of Le et al. 2019: without an objective, and for the best value of one. A target
/// without flat faces is an UnsuitableTargetError.
std::unique_ptr<Solver> lagrangian(SetPtr target, const SolverOptions& options,
                                   const LagrangianOptions& own = {});
std::unique_ptr<Maximizer> lagrangian_maximizer(SetPtr target, const Vector& objective,
                                                const SolverOptions& options,
                                                const LagrangianOptions& own = {});

}  // namespace c2rl
