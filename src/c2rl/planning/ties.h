#pragma once

#include "c2rl/base/enum_names.h"

namespace c2rl {

/// Which of several optimal policies an exact oracle answers with. Ties decide how many calls a solver needs,
/// so the rule is never left to the order in which actions happen to be compared.
enum class Ties {
  shortest,  // the fewest expected steps to the end (discounted like everything else)
  longest,   // the most
  first,     // in every state the first optimal action
  random,    // in every state a random optimal action, the same throughout a call
};
const EnumNames<Ties>& ties_names();

/// Values this near to each other, relative to their size and to the largest cost of a choice, are equal: far
/// above what rounding makes of equal sums taken in different orders (n steps differ by about n 1e-16), far
/// below any difference that would matter to a solver. What a wrongly declared tie loses is counted in the
/// answer's slack.
inline constexpr double kTieTolerance = 1e-12;

}  // namespace c2rl
