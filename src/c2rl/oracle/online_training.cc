#include "c2rl/oracle/online_training.h"

#include <algorithm>
#include <cmath>

#include "c2rl/oracle/policy_kinds.h"

namespace c2rl {

OracleAnswer learn_by_acting(const World& world, const ChoiceOptions& options, const OracleCall& call,
                             OnlineTraining& training) {
  constexpr int kUpdatesPerReport = 16;
  const auto report = [&] { call.report(training.part_done()); };
  OracleAnswer best;
  std::int64_t check_steps = 0;
  std::uint64_t tries = 0, deceptions = 0;
  double length = 1;  // of the episodes of the last try
  int check = 0;
  const StateVisit visit = [&](StateVisitor& state) {
    training.visit(state);
    state.value("check", check);
    state.value("tries", tries);
    state.value("deceptions", deceptions);
    state.value("length", length);
    state.value("check_steps", check_steps);
    visit_policy(state, "best", world, best.policy);
    state.list("best_measurement", best.measurement, static_cast<std::size_t>(world.dim()));
    state.expect(check >= 0 && best.measurement.size() == (best.policy ? world.dim() : 0),
                 "best_measurement");
  };
  call.restore(visit);
  const auto has_room = [&](double value, double spread) {
    constexpr double kErrors = 3;
    if (!training.wants_room()) return value <= call.enough;
    const double episodes = std::max(1.0, static_cast<double>(training.env_steps()) / length);
    return value + kErrors * spread / std::sqrt(episodes) <= call.enough;
  };
  // What training shows by itself costs nothing: only where it looks good enough is it worth a check. What earlier attempts ended
  // with may have looked so, too: it takes more than that to tell, or to learn what is better.
  constexpr std::int64_t kMore = 4;
  const auto promising = [&] {
    if (!options.early_stop || !training.episodes().enough() || training.env_steps() < kMore * call.tried)
      return false;
    return has_room(training.episodes().mean(), training.episodes().spread());
  };
  // By more than chance may have done.
  const auto good_enough = [&](const OracleAnswer& answer, double more) {
    constexpr double kErrors = 2;
    const double error = call.direction.cwiseProduct(answer.standard_error).norm();
    return options.early_stop &&
           call.direction.dot(answer.measurement) + kErrors * error + more <= call.enough;
  };
  // After every deception four times the episodes, as long as all tries together take no more steps than training has.
  const auto evaluation = [&] {
    constexpr double kGrowth = 4, kMost = 1e6;
    EvaluationOptions now = options.evaluation;
    const double affordable = static_cast<double>(training.env_steps() - check_steps) / length,
                 wanted = now.evaluation_episodes * std::pow(kGrowth, static_cast<double>(deceptions));
    now.evaluation_episodes =
        std::max(now.evaluation_episodes, static_cast<int>(std::min({wanted, affordable, kMost})));
    return now;
  };
  // With `step_cost` for every step.
  const auto try_policy = [&](double step_cost) {
    OracleAnswer tried;
    tried.policy = training.policy();
    evaluate_policy(world, evaluation(), call.rng.fork("check", tries++), tried, report);
    check_steps += tried.steps.evaluation;
    call.mark(
        {.steps = training.env_steps(), .value = call.direction.dot(tried.measurement), .checked = true});
    length = static_cast<double>(std::max<std::int64_t>(1, tried.steps.evaluation)) /
             static_cast<double>(std::max<Eigen::Index>(1, tried.episodes.totals.cols()));
    const bool enough = good_enough(tried, step_cost * length);
    // Of equals the later: it has learnt longer to be quick about it.
    if (!best.policy || call.direction.dot(tried.measurement) <= call.direction.dot(best.measurement))
      best = std::move(tried);
    return enough;
  };
  // One estimate is as good as another, but the best of several is too good to be true: others decide.
  const auto evaluate_best = [&] {
    best.steps = {};
    evaluate_policy(world, evaluation(), call.rng.fork("evaluation", deceptions), best, report);
  };
  const auto best_has_room = [&] {
    const double error = call.direction.cwiseProduct(best.standard_error).norm();
    const auto episodes = static_cast<double>(std::max<Eigen::Index>(1, best.episodes.totals.cols()));
    return has_room(call.direction.dot(best.measurement), error * std::sqrt(episodes));
  };
  const auto holds = [&] {
    if (tries == 1) return true;
    evaluate_best();
    if (good_enough(best, 0)) return true;
    ++deceptions;
    check_steps += best.steps.evaluation;
    return false;
  };
  bool found = tries == 0 && options.early_stop && call.effort <= 1 && call.enough > -kInfinity &&
               training.has_learnt() && try_policy(training.step_cost());
  for (int updates = 0; !found && check < options.checks;) {
    const double until = 0.5 + 0.5 * (check + 1) / options.checks;
    while (!training.done() && training.part_done() < until && !promising()) {
      if (updates++ % kUpdatesPerReport == 0) report();
      call.checkpoint(visit);
      training.update();
      if (training.episodes().enough())
        call.mark({.steps = training.env_steps(), .value = training.episodes().mean()});
    }
    if (training.done() || training.part_done() >= until) ++check;
    training.episodes().forget();
    found = try_policy(0) && best_has_room() && holds();
    if (training.done()) break;
  }
  const bool is_only = tries == 1;
  if (!is_only && !found) evaluate_best();
  best.steps = {.training = training.env_steps(),
                .checks = is_only ? 0 : check_steps,
                .evaluation = is_only ? check_steps : best.steps.evaluation};
  return best;
}

}  // namespace c2rl
