#pragma once

#include <string>

#include "c2rl/run/mix.h"
#include "mix_instance.h"

namespace c2rl::claims {

/// The least that the worst constraint can be broken by, over all mixtures, in quadruple precision: a matrix
/// game, solved by the simplex method; round constraints by cuts. Negative: there is room. It shares nothing
/// with the solvers.
struct Truth {
  double at_least = 0, at_most = 0;  // both within rounding of each other, except where cuts ended too early
};
Truth true_violation(const Instance& instance);

/// What of a result is false, in words; empty when nothing is. `feasible` may break a constraint by the
/// tolerance and the roundings of its own numbers.
std::string false_claim(const Instance& instance, const Result& result, const Truth& truth);

/// Whether the truth leaves room, or is out of reach, by so much that a solver ought to say so.
enum class Expected { feasible, infeasible, either };
Expected expected(const Instance& instance, const Truth& truth);

}  // namespace c2rl::claims
