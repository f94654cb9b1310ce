#include "c2rl/oracle/a2c.h"

#include <cmath>

#include "c2rl/base/error.h"
#include "c2rl/oracle/actor_critic.h"

namespace c2rl {
A2c::A2c(World world, const A2cOptions& options) : world_(std::move(world)), options_(options) {
  options_.validate();
  if (options_.returns == Returns::monte_carlo && world_.episode_limit == 0) {
    throw InputError(
        {.field = "returns"},
        "is monte-carlo, but episodes have no end: the environment has neither horizon nor discount");
  }
}

OracleAnswer A2c::answer(const OracleCall& call) {
  constexpr int kUpdatesPerReport = 16;
  const auto steps =
      static_cast<std::int64_t>(std::ceil(call.effort * static_cast<double>(options_.training_steps)));
  const auto* start = options_.warm_start ? dynamic_cast<const NetworkPolicy*>(call.start.get()) : nullptr;
  A2cOptions options = options_;
  options.step_cost /= std::max(1.0, call.effort);
  ActorCritic training(world_, options, call.direction, steps, call.rng.fork("training"), start);
  OracleAnswer best;
  std::int64_t check_steps = 0;
  for (int check = 0, updates = 0; check < options_.checks; ++check) {
    const double until = 0.5 + 0.5 * (check + 1) / options_.checks;
    while (!training.done() && training.part_done() < until) {
      if (updates++ % kUpdatesPerReport == 0) report(training.part_done());
      training.update();
    }
    OracleAnswer tried;
    tried.policy = training.policy(options_.execution);
    evaluate_policy(world_, options_.evaluation, call.rng.fork("check", static_cast<std::uint64_t>(check)),
                    tried);
    check_steps += tried.env_steps;
    // Of equals the later: it has learnt longer to be quick about it.
    if (!best.policy || call.direction.dot(tried.measurement) <= call.direction.dot(best.measurement))
      best = std::move(tried);
    if (training.done() || (options_.early_stop && call.direction.dot(best.measurement) <= call.enough))
      break;
  }
  best.env_steps = training.env_steps() + check_steps;
  // The best of several noisy estimates is too good to be true.
  evaluate_policy(world_, options_.evaluation, call.rng.fork("evaluation"), best);
  return best;
}

}  // namespace c2rl
