#pragma once

#include "c2rl/mdp/mixed_policy.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/result.h"

namespace c2rl {

/// Asks the world's model, which the search did not see, about what the search has found by learning: J of the
/// mixture is computed, and where the search is stuck the certificate's direction is planned exactly. The
/// result says what came of it, in `model`; a mixture that the model puts outside is no longer called inside.
/// Does nothing where there is no model, where the oracle computes from it anyway, and where it is too large
/// to ask by the way. What `listener` throws leaves the result as it was.
void check_with_model(const Problem& problem, const MixedPolicy& mixed, Result& result,
                      const Pulse& listener = {});

}  // namespace c2rl
