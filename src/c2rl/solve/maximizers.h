#pragma once

#include "c2rl/solve/maximize.h"

namespace c2rl {

/// The methods behind `make_maximizer`.
std::unique_ptr<Maximizer> direct_maximizer(const std::string& solver, SetPtr target, int coordinate,
                                            const SolverOptions& options);
std::unique_ptr<Maximizer> bisecting_maximizer(const std::string& solver, SetPtr target, int coordinate,
                                               const SolverOptions& options);

}  // namespace c2rl
