#pragma once

#include <set>

#include "c2rl/base/json.h"
#include "c2rl/geometry/target.h"
#include "c2rl/report/run_history.h"
#include "c2rl/run/result.h"

namespace c2rl {

/// For pictures of the measurement space, two measurements at a time (`pair`): the target's shadow, and what the picture
/// shows, as left, bottom, right and top: `all` that is drawn (the policies of `calls`, and the mixture's way), or `near`
/// the target. Of many measurements only the first few are paired.
Json space_json(const RunHistory& history, const std::set<int>& calls, const Result& result,
                const Target& target);

}  // namespace c2rl
