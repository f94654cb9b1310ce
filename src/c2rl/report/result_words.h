#pragma once

#include <string>

#include "c2rl/geometry/target.h"
#include "c2rl/run/result.h"

namespace c2rl {

/// How a mixture stands to a constraint.
enum class ConstraintState { holds, tight, violated };
ConstraintState state_of(const Constraint& constraint, const Result& result);
/// "holds, slack 2", "tight" or "violated by 0.5"
std::string constraint_words(const Constraint& constraint, const Result& result);

/// What the best value of the objective lies between, from below; empty without one.
std::string bracket_words(const Result& result);

/// Both halves of a certificate's argument, the constraints that make it, and what it rests on; empty where there
/// is nothing to certify.
std::string certificate_words(const Result& result, const Target& target);

}  // namespace c2rl
