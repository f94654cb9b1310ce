#pragma once

#include <functional>
#include <memory>

#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/experience.h"

namespace c2rl {

/// The policy that is best in the world as far as it was seen. All of the experience is replayed once for
/// every step that an episode may have, from the last to the first: each replay moves the value of every
/// choice to the mean, over all its visits, of what the step cost and the least value where it led, so that
/// the values after n replays are those with n steps to go. Every step costs `step_cost` more than was seen.
/// With a horizon the policy may depend on time, but does so only where it is better for it. `limit` is that
/// on the length of an episode, 0 where there is none. `report` is called every now and then.
std::shared_ptr<const TabularPolicy> replayed_policy(const Experience& experience, int limit,
                                                     double step_cost, const std::function<void()>& report);

}  // namespace c2rl
