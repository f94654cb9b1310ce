#pragma once

#include <memory>

#include "c2rl/solve/solver.h"

namespace c2rl {

/// The defaults are those of its paper.
struct AppropoOptions {
  double kappa = 20;
  double momentum = 0;
  bool cache = false;
  int max_cache_rounds = 1000;

  void visit(OptionVisitor& visitor);
};

/// The cone game of Miryoosefi et al. 2019.
std::unique_ptr<Solver> appropo(SetPtr target, const SolverOptions& options, const AppropoOptions& own = {});

}  // namespace c2rl
