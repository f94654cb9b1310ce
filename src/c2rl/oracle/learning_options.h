#pragma once

#include "c2rl/base/options.h"

namespace c2rl {

// Options that several learners have, in the same words.

/// `learning_rate` and `learning_rate_last`.
void visit_learning_rates(OptionVisitor& visitor, double& first, double& last);

/// `step_cost` and `training_discount`, of those that learn by acting.
void visit_time_preference(OptionVisitor& visitor, double& step_cost, double& training_discount);

}  // namespace c2rl
