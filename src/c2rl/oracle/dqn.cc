#include "c2rl/oracle/dqn.h"

#include <algorithm>

#include "c2rl/base/error.h"
#include "c2rl/oracle/learning_options.h"
#include "c2rl/oracle/oracle_kinds.h"

namespace c2rl {
namespace {

DeepQSettings settings(const World& world, const DqnOptions& options) {
  return {.hidden = options.hidden,
          .activation = options.activation,
          .batch = options.replay.batch,
          .sampling = options.sampling,
          .target_period = options.target_period,
          .momentum = options.momentum,
          .huber_limit = options.huber_limit,
          .discount = options.replay.discount(world),
          .normalized = true,
          .conditioned = options.replay.conditioned,
          .threads = options.replay.threads};
}

}  // namespace

void DqnOptions::visit(OptionVisitor& visitor) {
  visitor.integers("hidden", hidden, between(1, kWidestLayer),
                   "widths of the layers of the two branches of the network, one for the values of a state "
                   "and one for the advantages of its actions; they share nothing. Where states are "
                   "numbered, the default is [128, 128], with a batch of 256, updates_per_step of 0.5 and a "
                   "step_cost of 0.1");
  visitor.choice("activation", activation, activation_names(), "of the hidden layers");
  replay.visit(visitor);
  visitor.choice("sampling", sampling, batch_sampling_names(),
                 "how they are drawn: states near the start are seen far more often than others, where the "
                 "policy is decided all the same; where features are observed, always uniform");
  visitor.integer("target_period", target_period, between(1, 1'000'000),
                  "updates between two copies of the network to the one that values what comes next");
  visit_learning_rates(visitor, learning_rate, learning_rate_last);
  visitor.number("momentum", momentum, {.lowest = 0, .highest = 1, .open_above = true},
                 "how much of the mean gradient a step of Adam keeps (its beta1)");
  visitor.number(
      "huber_limit", huber_limit, {.lowest = 0, .open_below = true, .infinite = true},
      "from this error on, values being about 1 in size, the loss grows linearly instead of as the "
      "square: that guards against outcomes far off, but where they are random it draws values "
      "from their mean towards their median");
  visitor.number("epsilon_first", epsilon_first, part(), "the probability of a random action, at the start");
  visitor.number("epsilon_again", epsilon_again, part(),
                 "the same at the start of a call that begins with a memory");
  visitor.number("epsilon_last", epsilon_last, part(), "the same at the end of its decay, which is linear");
  visitor.number("exploration_part", exploration_part, part(), "of the training, over which it decays");
  choice.visit(visitor);
}

DqnOptions dqn_options(const World& world) {
  DqnOptions options;
  if (world.features > 0) return options;
  options.hidden = {128, 128};
  options.replay.batch = 256;
  options.replay.updates_per_step = 0.5;
  options.replay.step_cost = 0.1;
  return options;
}

DqnTraining::DqnTraining(const World& world, const DqnOptions& options, const OracleCall& call)
    : ReplayTraining(world, options.replay, call, call.rng.fork("training")),
      options_(options),
      actions_(world, ActionCounts(world)),
      learner_(world, transitions_, actions_, settings(world, options), rng_, options.replay.environments),
      scores_(world.actions, options.replay.environments) {
  if (options.replay.conditioned) learner_.turn_to(asked_);
  take_up(call);
  const bool goes_on = steps_before() > 0;
  if (!goes_on) begins_anew_ = transitions_.size() == 0;
  // One that goes on has seen them.
  for (int i = 0; world.features > 0 && !has_learnt() && !goes_on && i < transitions_.size(); ++i)
    learner_.look_at(transitions_.features.col(i));
}

double DqnTraining::epsilon() const {
  const double first = begins_anew_ ? options_.epsilon_first : options_.epsilon_again;
  const double part =
      options_.exploration_part > 0 ? std::min(1.0, part_done() / options_.exploration_part) : 1;
  return first + part * (options_.epsilon_last - first);
}

void DqnTraining::choose(bool at_random, Rng& draws) {
  const double random = at_random ? 1 : epsilon();
  if (!at_random) learner_.score(environment_->observations(), scores_);
  for (int slot = 0; slot < environment_->batch(); ++slot) {
    if (environment_->ended(slot)) continue;
    if (world_.features > 0) learner_.look_at(environment_->features().col(slot));
    const int actions = actions_.counts().of(world_.features > 0 ? 0 : environment_->states()[slot]);
    if (draws.uniform() < random) {
      chosen_[slot] = static_cast<int>(draws.below(static_cast<std::uint64_t>(actions)));
    } else {
      scores_.col(slot).head(actions).maxCoeff(&chosen_[slot]);
    }
  }
}

/// With many transitions a few more are no reason to sort them all.
void DqnTraining::renew() {
  constexpr std::int64_t kPart = 64;
  learner_.set_prices(prices());
  const std::int64_t added = transitions_.added();
  if (grouped_ > 0 && (added - grouped_) * kPart < transitions_.size()) return;
  learner_.renew_groups();
  grouped_ = added;
}

void DqnTraining::visit_learner(StateVisitor& state) {
  learner_.visit(state);
  learner_.visit_groups(state);
  state.value("grouped", grouped_);
  state.expect(grouped_ >= 0, "grouped");
}

void DqnTraining::visit_knowledge(StateVisitor& state) {
  if (options_.replay.conditioned) learner_.visit_knowledge(state);
}

void DqnTraining::visit_attempt(StateVisitor& state) {
  learner_.visit_knowledge(state);
  state.value("begins_anew", begins_anew_);
}

void DqnTraining::learn() {
  const bool conditioned = options_.replay.conditioned;
  if (conditioned) turn_to(direction_to_learn(learner_.updates()));
  learner_.update(options_.learning_rate +
                  part_done() * (options_.learning_rate_last - options_.learning_rate));
  if (conditioned) turn_to(asked_);
}

void DqnTraining::turn_to(const Eigen::VectorXf& direction) {
  learner_.turn_to(direction);
  learner_.set_prices(prices_for(direction));
}

Dqn::Dqn(World world, const DqnOptions& options) : world_(std::move(world)), options_(options) {
  check_options(options_);
  check_evaluation(options_.choice.evaluation, world_);
  options_.replay.check(world_);
  if (world_.controls > 0)
    throw InputError({.field = "environment"}, "found actions that are real numbers, expected numbered ones");
}

OracleAnswer Dqn::answer(const OracleCall& call) const {
  DqnOptions options = options_;
  options.replay.step_cost /= std::max(1.0, call.effort);
  DqnTraining training(world_, options, call);
  OracleAnswer answer = learn_by_acting(world_, options_.choice, call, training);
  answer.steps.training -= training.steps_before();
  if (options_.replay.remember) {
    answer.memory = training.memory();
    answer.left_off = training.left_off();
  }
  return answer;
}

OracleKind dqn_kind() {
  OracleKind kind;
  kind.name = "dqn";
  kind.summary = "deep double Q-learning by acting, with one memory for all calls";
  kind.options = list_options<DqnOptions>();
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    return std::make_unique<Dqn>(world, read_options(section, dqn_options(world)));
  };
  return kind;
}

}  // namespace c2rl
