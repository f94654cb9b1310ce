#include "c2rl/oracle/sac.h"

#include <algorithm>

#include "c2rl/base/error.h"
#include "c2rl/oracle/gaussian_policy.h"
#include "c2rl/oracle/learning_options.h"
#include "c2rl/oracle/oracle_kinds.h"

namespace c2rl {
namespace {

SoftActorCriticSettings settings(const World& world, const SacOptions& options) {
  return {.hidden = options.hidden,
          .activation = options.activation,
          .batch = options.replay.batch,
          .discount = options.replay.discount(world),
          .target_rate = options.target_rate,
          .first_temperature = options.first_temperature,
          .target_entropy = options.target_entropy * world.controls,
          .conditioned = options.replay.conditioned,
          .threads = options.replay.threads};
}

}  // namespace

void SacOptions::visit(OptionVisitor& visitor) {
  visitor.integers("hidden", hidden, between(1, kWidestLayer),
                   "widths of the layers of the actor and of each of the two critics");
  visitor.choice("activation", activation, activation_names(), "of the hidden layers");
  replay.visit(visitor);
  visitor.number(
      "hold", hold, between(1, 1e6),
      "steps that an action of the first_steps is kept for, on average: more than 1 where only a push "
      "that lasts leads anywhere new");
  visit_learning_rates(visitor, learning_rate, learning_rate_last);
  visitor.number("target_rate", target_rate, {.lowest = 0, .highest = 1, .open_below = true},
                 "how much of the critics goes, with every update, into the ones that value what comes next");
  visitor.number("first_temperature", first_temperature, above(0),
                 "the price of entropy at the start, where a step costs 1; it is learnt, too");
  visitor.number("target_entropy", target_entropy, any_number(),
                 "of every number of an action, that the temperature is to keep: -1 is that of a spread of "
                 "about 0.09 around a number away from -1 and 1");
  visitor.choice("execution", execution, execution_names(),
                 "whether the answer draws its actions or takes the likeliest; what is best on average is "
                 "deterministic");
  choice.visit(visitor);
}

SacTraining::SacTraining(const World& world, const SacOptions& options, const OracleCall& call)
    : ReplayTraining(world, options.replay, call, call.rng.fork("training")),
      options_(options),
      learner_(world, transitions_, settings(world, options), rng_, options.replay.environments),
      scaled_prices_(world.dim() + 1) {
  if (options.replay.conditioned) learner_.turn_to(asked_);
  take_up(call);
}

PolicyPtr SacTraining::policy() const {
  const std::shared_ptr<const Network> actor = learner_.actor();
  // Of a conditioned actor, a direction has its own biases of the first layer.
  std::vector<std::string> shared;
  for (const Tensor& array : actor->tensors()) {
    if (options_.replay.conditioned && array.name != "trunk.0.bias") shared.push_back(array.name);
  }
  return std::make_shared<GaussianPolicy>(actor, Eigen::VectorXf(), /*squashed=*/true, options_.execution,
                                          std::move(shared));
}

void SacTraining::choose(bool at_random, Rng& draws) {
  if (!at_random) {
    learner_.act(environment_->features(), draws, controls_);
    return;
  }
  for (Eigen::Index slot = 0; slot < controls_.cols(); ++slot) {
    const bool held = options_.hold > 1 && env_steps() > 0 && draws.uniform() >= 1 / options_.hold;
    if (held) continue;
    for (float& number : controls_.col(slot)) number = static_cast<float>(2 * draws.uniform() - 1);
  }
}

void SacTraining::visit_learner(StateVisitor& state) {
  learner_.visit(state);
  // What is held goes on.
  if (options_.hold == 1) return;
  state.values("held", controls_);
  state.expect((controls_.array().abs() <= 1).all(), "held");
}

/// The temperature is the price of entropy where a step costs about 1.
void SacTraining::renew() {
  turn_to(asked_);
}

void SacTraining::turn_to(const Eigen::VectorXf& direction) {
  const double cost = usual_cost();
  scaled_prices_ = prices_for(direction) * static_cast<float>(cost > 0 ? 1 / cost : 1);
  learner_.set_prices(scaled_prices_);
  if (options_.replay.conditioned) learner_.turn_to(direction);
}

void SacTraining::learn() {
  if (!learner_.is_standardized()) learner_.standardize();
  const bool conditioned = options_.replay.conditioned;
  if (conditioned) turn_to(direction_to_learn(learner_.updates()));
  learner_.update(options_.learning_rate +
                  part_done() * (options_.learning_rate_last - options_.learning_rate));
  if (conditioned) turn_to(asked_);
}

Sac::Sac(World world, const SacOptions& options) : world_(std::move(world)), options_(options) {
  check_options(options_);
  check_evaluation(options_.choice.evaluation, world_);
  options_.replay.check(world_);
  if (world_.controls == 0 || world_.features == 0)
    throw InputError(
        {.field = "environment"},
        "found numbered actions, expected features that are seen and real numbers that are done");
}

OracleAnswer Sac::answer(const OracleCall& call) const {
  SacOptions options = options_;
  options.replay.step_cost /= std::max(1.0, call.effort);
  SacTraining training(world_, options, call);
  OracleAnswer answer = learn_by_acting(world_, options_.choice, call, training);
  if (options_.replay.remember) answer.memory = training.memory();
  return answer;
}

OracleKind sac_kind() {
  OracleKind kind;
  kind.name = "sac";
  kind.summary = "soft actor-critic by acting, with one memory for all calls";
  kind.options = list_options<SacOptions>();
  kind.needs_numbered_actions = false;
  kind.needs_controls = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    return std::make_unique<Sac>(world, read_options<SacOptions>(section));
  };
  return kind;
}

}  // namespace c2rl
