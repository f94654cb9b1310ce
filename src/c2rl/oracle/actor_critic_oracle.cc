#include "c2rl/oracle/actor_critic_oracle.h"

#include <algorithm>

#include "c2rl/base/error.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/policy_kinds.h"

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
  constexpr int kUpdatesPerReport = 16;
  ActorCriticOptions options = options_;
  options.step_cost /= std::max(1.0, call.effort);
  ActorCritic training(world_, options, call.direction, call.budget(options.training_steps),
                       call.rng.fork("training"), options_.warm_start ? call.start.get() : nullptr,
                       call.keeper || call.saved);
  const auto report = [&] { call.report(training.part_done()); };
  OracleAnswer best;
  std::int64_t check_steps = 0;
  std::uint64_t tries = 0;
  int check = 0;
  const StateVisit visit = [&](StateVisitor& state) {
    training.visit(state);
    state.value("check", check);
    state.value("tries", tries);
    state.value("check_steps", check_steps);
    visit_policy(state, "best", world_, best.policy);
    state.list("best_measurement", best.measurement, static_cast<std::size_t>(dim()));
    state.expect(check >= 0 && best.measurement.size() == (best.policy ? dim() : 0), "best_measurement");
  };
  call.restore(visit);
  // What training shows by itself costs nothing: only where it looks good enough is it worth a check.
  const auto promising = [&] {
    return options_.early_stop && training.episodes().enough() && training.episodes().mean() <= call.enough;
  };
  // By more than chance may have done.
  const auto good_enough = [&](const OracleAnswer& answer) {
    constexpr double kErrors = 2;
    const double error = call.direction.cwiseProduct(answer.standard_error).norm();
    return options_.early_stop && call.direction.dot(answer.measurement) + kErrors * error <= call.enough;
  };
  for (int updates = 0; check < options_.checks;) {
    const double until = 0.5 + 0.5 * (check + 1) / options_.checks;
    while (!training.done() && training.part_done() < until && !promising()) {
      if (updates++ % kUpdatesPerReport == 0) report();
      call.checkpoint(visit);
      training.update();
      if (training.episodes().enough())
        call.mark({.steps = training.env_steps(), .value = training.episodes().mean()});
    }
    if (training.done() || training.part_done() >= until) ++check;
    training.episodes().forget();
    OracleAnswer tried;
    tried.policy = training.policy(options_.execution);
    evaluate_policy(world_, options_.evaluation, call.rng.fork("check", tries++), tried, report);
    check_steps += tried.steps.evaluation;
    call.mark(
        {.steps = training.env_steps(), .value = call.direction.dot(tried.measurement), .checked = true});
    const bool stop = training.done() || good_enough(tried);
    // Of equals the later: it has learnt longer to be quick about it.
    if (!best.policy || call.direction.dot(tried.measurement) <= call.direction.dot(best.measurement))
      best = std::move(tried);
    if (stop) break;
  }
  best.steps = {.training = training.env_steps(), .checks = check_steps};
  // The best of several noisy estimates is too good to be true.
  evaluate_policy(world_, options_.evaluation, call.rng.fork("evaluation"), best, report);
  return best;
}

}  // namespace c2rl
