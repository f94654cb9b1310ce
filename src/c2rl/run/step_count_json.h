#pragma once

#include "c2rl/base/json.h"
#include "c2rl/mdp/step_count.h"

namespace c2rl {

/// Adds "env_steps", which are all of them, and "steps", which says what they were for.
inline void put_steps(const StepCount& steps, Json& json) {
  json["env_steps"] = steps.all();
  json["steps"] = {{"training", steps.training},
                   {"checks", steps.checks},
                   {"evaluation", steps.evaluation},
                   {"confirmation", steps.confirmation}};
}

/// The inverse; an InputError where the parts do not add up.
inline StepCount steps_in(const JsonObject& json) {
  const JsonObject parts(json.at("steps"), "steps.");
  const StepCount steps{.training = parts.integer("training"),
                        .checks = parts.integer("checks"),
                        .evaluation = parts.integer("evaluation"),
                        .confirmation = parts.integer("confirmation")};
  if (steps.all() != json.integer("env_steps"))
    throw InputError({.field = "steps"}, "its parts do not add up to env_steps");
  return steps;
}

}  // namespace c2rl
