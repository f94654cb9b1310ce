#pragma once

#include <memory>

#include "c2rl/solve/solver.h"

namespace c2rl {

struct RcpoOptions {
  double step = 0.1;

  void visit(OptionVisitor& visitor);
};

/// The single penalised policy of Tessler et al. 2018. A target without flat faces is an
/// UnsuitableTargetError.
std::unique_ptr<Solver> rcpo(SetPtr target, const SolverOptions& options, const RcpoOptions& own = {});

}  // namespace c2rl
