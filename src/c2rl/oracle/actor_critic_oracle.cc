#include "c2rl/oracle/actor_critic_oracle.h"

#include <algorithm>

#include "c2rl/base/error.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/online_training.h"

namespace c2rl {

ActorCriticOracle::ActorCriticOracle(World world, const ActorCriticOptions& options)
    : world_(std::move(world)), options_(options) {
  check_options(options_);
  check_evaluation(options_.evaluation, world_);
  if (world_.controls > 0 && (!options_.clipped || world_.features == 0)) {
    throw InputError({.field = "environment"}, "found actions that are real numbers, expected numbered ones");
  }
  if (options_.returns == Returns::monte_carlo && world_.episode_limit == 0) {
    throw InputError(
        {.field = "returns"},
        "found " + returns_names().of(options_.returns) +
            ", but episodes have no end to wait for: the environment has neither horizon nor discount");
  }
  ActorCritic::check_size(world_, options_);
}

OracleAnswer ActorCriticOracle::answer(const OracleCall& call) const {
  ActorCriticOptions options = options_;
  options.step_cost /= std::max(1.0, call.effort);
  ActorCritic training(world_, options, call.direction, call.budget(options.training_steps),
                       call.rng.fork("training"), options_.warm_start ? call.start.get() : nullptr,
                       call.keeper || call.saved);
  if (call.left_off) training.go_on_from(*call.left_off);
  OracleAnswer answer = learn_by_acting(world_, options_.choice(), call, training);
  answer.steps.training -= training.steps_before();
  answer.left_off = training.left_off();
  return answer;
}

}  // namespace c2rl
