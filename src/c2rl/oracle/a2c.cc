#include "c2rl/oracle/a2c.h"

#include <algorithm>

#include "c2rl/base/error.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/policy_kinds.h"

namespace c2rl {

const EnumNames<Returns>& returns_names() {
  static const EnumNames<Returns> kNames("returns", {"gae", "n-step", "monte-carlo"});
  return kNames;
}

void A2cOptions::visit(OptionVisitor& visitor) {
  visitor.integers("hidden", hidden, between(1, kWidestLayer),
                   "widths of the layers that actor and critic share; each has a linear head behind them");
  visitor.choice("activation", activation, activation_names(), "of the hidden layers");
  visitor.integer("training_steps", training_steps, between(1, kMostSteps),
                  "environment steps of training per call: with 300,000 the optima of the navigation task "
                  "are found in 250 of 250 runs");
  visitor.integer("environments", environments, between(1, 100'000), "episodes that step together");
  visitor.choice("returns", returns, returns_names(),
                 "what the critic's estimate of an action is made of: temporal differences, those further "
                 "ahead weighted down by gae_lambda; or what was measured to the end of the rollout; or of "
                 "the episode, a rollout being a batch of whole ones");
  if (visitor.when(returns != Returns::monte_carlo)) {
    visitor.integer("rollout_steps", rollout_steps, between(1, 100'000),
                    "steps of each episode between two updates; not with whole episodes");
  }
  if (visitor.when(returns == Returns::gae)) {
    visitor.number("gae_lambda", gae_lambda, part(),
                   "the weight of a temporal difference per step that it is further ahead; with gae only");
  }
  visitor.number(
      "step_cost", step_cost, part(),
      "a cost per step while learning, of what a step costs on average: of policies that measure "
      "nearly the same, the one with shorter episodes is preferred; more effort means a smaller one");
  visitor.number("training_discount", training_discount, part(),
                 "what is a step later counts by this much less while learning; 0 stands for the "
                 "environment's own discount or, where that is 1, 1 - 1 / horizon: an episode that is cut "
                 "would have gone on, so that without a discount nothing would bound the value of going on");
  visitor.number("learning_rate", learning_rate, above(0), "Adam's, at the start");
  visitor.suggest(learning_rate_last, std::min(learning_rate_last, learning_rate));
  visitor.number("learning_rate_last", learning_rate_last, at_least(0),
                 "the same at the end of the training, to which it decays linearly; by default no more than "
                 "at the start");
  visitor.flag("normalize_advantages", normalize_advantages,
               "advantages of a rollout are scaled to standard deviation 1, so that no other option depends "
               "on the size of what is measured");
  visitor.number("entropy_first", entropy_first, at_least(0),
                 "the bonus for entropy at the start, which keeps the actor exploring");
  visitor.number(
      "entropy_last", entropy_last, at_least(0),
      "the same at the end of its decay, which is linear: without it the actor would never commit itself");
  visitor.number("entropy_decay_part", entropy_decay_part, part(), "of the training, over which it decays");
  visitor.number("value_weight", value_weight, at_least(0), "of the critic's loss beside the actor's");
  visitor.number("max_gradient_norm", max_gradient_norm, above(0), "longer gradients are cut to this length");
  visitor.choice("execution", execution, execution_names(),
                 "whether the answer draws its actions or takes the likeliest; what is best on average is "
                 "deterministic");
  visitor.flag(
      "warm_start", warm_start,
      "training goes on from the stored policy that is best in the direction, instead of from a random one");
  visitor.flag("early_stop", early_stop,
               "training stops at a check that finds the policy as good as the solver has use for");
  visitor.integer("checks", checks, between(1, 1000),
                  "how often, evenly over the second half of the training, the policy is tried on fresh "
                  "episodes; the best is the answer, and is evaluated on others");
  evaluation.visit(visitor);
}

A2c::A2c(World world, const A2cOptions& options) : world_(std::move(world)), options_(options) {
  check_options(options_);
  check_evaluation(options_.evaluation, world_);
  if (world_.controls > 0)
    throw InputError({.field = "environment"}, "found actions that are real numbers, expected numbered ones");
  if (options_.returns == Returns::monte_carlo && world_.episode_limit == 0) {
    throw InputError(
        {.field = "returns"},
        "found " + returns_names().of(options_.returns) +
            ", but episodes have no end to wait for: the environment has neither horizon nor discount");
  }
  ActorCritic::check_size(world_, options_);
}

OracleAnswer A2c::answer(const OracleCall& call) const {
  constexpr int kUpdatesPerReport = 16;
  const auto* start = options_.warm_start ? dynamic_cast<const NetworkPolicy*>(call.start.get()) : nullptr;
  A2cOptions options = options_;
  options.step_cost /= std::max(1.0, call.effort);
  ActorCritic training(world_, options, call.direction, call.budget(options.training_steps),
                       call.rng.fork("training"), start, call.keeper || call.saved);
  const auto report = [&] { call.report(training.part_done()); };
  OracleAnswer best;
  std::int64_t check_steps = 0;
  int check = 0;
  const StateVisit visit = [&](StateVisitor& state) {
    training.visit(state);
    state.value("check", check);
    state.value("check_steps", check_steps);
    visit_policy(state, "best", world_, best.policy);
    state.list("best_measurement", best.measurement, static_cast<std::size_t>(dim()));
    state.expect(check >= 0 && best.measurement.size() == (best.policy ? dim() : 0), "best_measurement");
  };
  call.restore(visit);
  for (int updates = 0; check < options_.checks; ++check) {
    const double until = 0.5 + 0.5 * (check + 1) / options_.checks;
    while (!training.done() && training.part_done() < until) {
      if (updates++ % kUpdatesPerReport == 0) report();
      call.checkpoint(visit);
      training.update();
    }
    OracleAnswer tried;
    tried.policy = training.policy(options_.execution);
    evaluate_policy(world_, options_.evaluation, call.rng.fork("check", static_cast<std::uint64_t>(check)),
                    tried, report);
    check_steps += tried.env_steps;
    // Of equals the later: it has learnt longer to be quick about it.
    if (!best.policy || call.direction.dot(tried.measurement) <= call.direction.dot(best.measurement))
      best = std::move(tried);
    if (training.done() || (options_.early_stop && call.direction.dot(best.measurement) <= call.enough))
      break;
  }
  best.env_steps = training.env_steps() + check_steps;
  // The best of several noisy estimates is too good to be true.
  evaluate_policy(world_, options_.evaluation, call.rng.fork("evaluation"), best, report);
  return best;
}

OracleKind a2c_kind() {
  OracleKind kind;
  kind.name = "a2c";
  kind.summary = "deep advantage actor-critic, by acting";
  kind.options = list_options<A2cOptions>();
  kind.can_go_on = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults& defaults) {
    return std::make_unique<A2c>(world, read_options(section, A2cOptions{.warm_start = defaults.warm_start}));
  };
  return kind;
}

}  // namespace c2rl
