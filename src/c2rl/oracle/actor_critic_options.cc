#include <algorithm>

#include "c2rl/oracle/actor_critic_oracle.h"
#include "c2rl/oracle/learning_options.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/training_threads.h"

namespace c2rl {

const EnumNames<Returns>& returns_names() {
  static const EnumNames<Returns> kNames("returns", {"gae", "n-step", "monte-carlo"});
  return kNames;
}

ActorCriticOptions ppo_options() {
  ActorCriticOptions options;
  options.hidden = {64, 64};
  options.shared = false;
  options.activation = Activation::tanh;
  options.training_steps = 100'000;
  options.environments = 8;
  options.rollout_steps = 32;
  options.clipped = true;
  options.epochs = 20;
  options.minibatch = 256;
  options.clip = 0.2;
  options.clip_last = 0;
  options.learning_rate = 1e-3;
  options.learning_rate_last = 0;
  options.normalize_observations = true;
  options.entropy_first = 0.1;
  options.early_stop = true;
  options.evaluation.evaluation_episodes = 20;
  return options;
}

void ActorCriticOptions::visit(OptionVisitor& visitor) {
  visitor.integers(
      "hidden", hidden, between(1, kWidestLayer),
      shared ? "widths of the layers that actor and critic share; each has a linear head behind them"
             : "widths of the layers of actor and critic each; a linear head is behind them");
  visitor.choice("activation", activation, activation_names(), "of the hidden layers");
  visitor.integer(
      "training_steps", training_steps, between(1, kMostSteps),
      clipped ? "environment steps of training per call, unless it stops early; by default it does so only "
                "where features are seen: where states are numbered, what is only good enough leads "
                "nowhere too often"
              : "environment steps of training per call: with 300,000 the optima of the navigation "
                "task are found in 250 of 250 runs");
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
  if (clipped) {
    visitor.integer("epochs", epochs, between(1, 1000), "how often a rollout is learnt from");
    visitor.integer("minibatch", minibatch, between(1, 1e8),
                    "steps of a rollout that are learnt from together");
    visitor.number("clip", clip, above(0),
                   "an action is not made more or less likely by more than this part because of one rollout");
    visitor.suggest(clip_last, std::min(clip_last, clip));
    visitor.number("clip_last", clip_last, at_least(0),
                   "the same at the end of the training, to which it goes linearly");
    visitor.number(
        "kl_limit", kl_limit, at_least(0),
        "learning from a rollout ends where the policy has moved this far from the one that made it, as "
        "a divergence; 0: never");
    visitor.flag(
        "normalize_observations", normalize_observations,
        "features are brought to mean 0 and spread 1, as far as they have been seen; a saved policy reads "
        "them as they are");
    visitor.number("spread", spread, above(0), "of actions that are real numbers, at the start");
    visitor.flag("squashed", squashed,
                 "such actions go through tanh; else the environment cuts them at -1 and 1");
  }
  visit_time_preference(visitor, step_cost, training_discount);
  visit_learning_rates(visitor, learning_rate, learning_rate_last);
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
  visit_threads(visitor, threads);
  ChoiceOptions chosen = choice();
  chosen.visit(visitor);
  early_stop = chosen.early_stop;
  checks = chosen.checks;
  evaluation = chosen.evaluation;
}

namespace {

OracleKind actor_critic_kind(std::string name, std::string summary, const ActorCriticOptions& standard) {
  OracleKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  kind.options = list_options(standard);
  kind.can_go_on = true;
  kind.make = [standard](const Config& section, const World& world, const OracleDefaults& defaults) {
    ActorCriticOptions options = standard;
    options.warm_start = defaults.warm_start;
    options.early_stop &= world.features > 0;
    return std::make_unique<ActorCriticOracle>(world, read_options(section, options));
  };
  return kind;
}

}  // namespace

OracleKind a2c_kind() {
  return actor_critic_kind("a2c", "deep advantage actor-critic, by acting", {});
}

OracleKind ppo_kind() {
  OracleKind kind = actor_critic_kind("ppo", "proximal policy optimisation, by acting: fewer steps than a2c",
                                      ppo_options());
  kind.needs_numbered_actions = false;
  return kind;
}

}  // namespace c2rl
