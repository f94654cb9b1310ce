#include "c2rl/oracle/actor_critic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/oracle/training_threads.h"

namespace c2rl {
namespace {

double training_discount(const World& world, const ActorCriticOptions& options) {
  if (options.training_discount > 0) return options.training_discount;
  return world.discount < 1 || world.horizon == 0 ? world.discount : 1 - 1.0 / world.horizon;
}

int room(const World& world, const ActorCriticOptions& options) {
  return options.returns == Returns::monte_carlo ? world.episode_limit : options.rollout_steps;
}

/// Once all episodes are alike, what is left of advantages is noise, and gradients are small: ppo, which makes many
/// steps on each rollout, is not to follow them as if they were large. Where states are numbered, gradients are small
/// for another reason: few of the states were visited.
AdamOptions adam_options(const World& world, const ActorCriticOptions& options) {
  AdamOptions adam{.learning_rate = options.learning_rate};
  if (options.clipped && world.features > 0) adam.epsilon = 1e-5;
  return adam;
}

/// The most inputs a rollout can have: what was seen before its steps and after them.
int most_inputs(const World& world, const ActorCriticOptions& options) {
  const std::int64_t entries = std::int64_t{room(world, options)} * options.environments;
  if (world.features > 0) return static_cast<int>(entries);
  return static_cast<int>(std::min<std::int64_t>(world.states, 2 * entries));
}

/// The most inputs that are learnt from together.
int batch(const World& world, const ActorCriticOptions& options) {
  const int most = most_inputs(world, options);
  return options.minibatch == 0 ? most : std::min(most, options.minibatch);
}

/// Steps of an episode that memory is taken for in advance.
std::int64_t longest_episode(const World& world, std::int64_t steps) {
  constexpr std::int64_t kMost = 1 << 20;
  return std::min({steps, kMost, world.horizon > 0 ? std::int64_t{world.horizon} : kMost});
}

}  // namespace

std::int64_t Rollout::transitions() const {
  return std::accumulate(taken.begin(), taken.begin() + std::int64_t{steps} * slots, std::int64_t{0});
}

void ActorCritic::check_size(const World& world, const ActorCriticOptions& options) {
  constexpr double kMostNumbers = 1 << 28;  // allocated before the first step: 2 GiB
  constexpr double kPerStep = 10;           // besides measurements, features and controls
  const double steps = room(world, options);
  const double numbers = steps * options.environments *
                         (kPerStep + 5.0 * world.dim() + 3.0 * world.features + 2.0 * world.controls);
  if (numbers <= kMostNumbers) return;
  throw InputError(
      {.field = "environments"},
      fmt::format("found {}, which with {:.0f} steps each make a rollout of {:.0f} numbers, expected at most "
                  "{:.0f}",
                  options.environments, steps, numbers, kMostNumbers));
}

NetworkShape ActorCritic::shape(const World& world, const ActorCriticOptions& options) {
  NetworkShape shape;
  shape.inputs = world.features > 0 ? world.features : world.states;
  shape.indexed = world.features == 0;
  const std::vector<int> none;
  shape.trunk = options.shared ? options.hidden : none;
  const std::vector<int>& own = options.shared ? none : options.hidden;
  shape.heads = {
      {.name = "policy", .hidden = own, .outputs = world.controls > 0 ? world.controls : world.actions},
      {.name = "value", .hidden = own, .outputs = world.dim() + 1}};
  shape.activation = options.activation;
  return shape;
}

ActorCritic::ActorCritic(const World& world, const ActorCriticOptions& options, const Vector& direction,
                         std::int64_t steps, const Rng& rng, const Policy* start, bool resumable)
    : OnlineTraining(steps),
      world_(world),
      options_(options),
      direction_(direction),
      discount_(training_discount(world, options)),
      rng_(rng),
      actions_(world),
      environment_(world.to_train_in(options.environments)),
      finished_(options.environments, direction, world.discount),
      room_(room(world, options)),
      team_(training_threads(options.threads, shape(world, options), batch(world, options))),
      network_(shape(world, options), std::max(most_inputs(world, options), options.environments)),
      adam_(network_.parameter_count(), adam_options(world, options)),
      value_scale_(Eigen::VectorXf::Ones(values())),
      mean_square_(Vector::Zero(values())),
      log_spread_(Eigen::VectorXf::Constant(world.controls, static_cast<float>(std::log(options.spread)))) {
  begin_from(start);
  if (has_features() && options.normalize_observations) standardizer_.emplace(world.features);
  if (has_controls()) spread_adam_.emplace(world.controls, adam_options(world, options));
  const int slots = options.environments, entries = room_ * slots;
  const int inputs = most_inputs(world, options);
  rollout_.slots = slots;
  rollout_.taken.resize(entries);
  rollout_.column.resize(entries);
  rollout_.features.resize(world.features, entries);
  rollout_.next_features.resize(world.features, entries);
  rollout_.state.resize(entries);
  rollout_.next_state.resize(entries);
  rollout_.action.resize(entries);
  rollout_.controls.resize(world.controls, entries);
  rollout_.probability.resize(entries);
  rollout_.measurement.resize(world.dim(), entries);
  rollout_.terminated.resize(entries);
  rollout_.truncated.resize(entries);
  input_states_.reserve(inputs);
  input_of_state_.assign(world.states, -1);
  probabilities_.resize(has_controls() ? 0 : world.actions, inputs);
  means_.resize(world.controls, inputs);
  values_.resize(values(), inputs);
  ahead_.resize(values(), entries);
  cut_.resize(entries);
  gain_.resize(values(), entries);
  target_.resize(values(), entries);
  advantage_.resize(entries);
  action_weight_.resize(has_controls() ? 0 : world.actions, inputs);
  visits_.resize(inputs);
  log_spread_gradient_.resize(world.controls);
  order_.reserve(entries);
  chosen_.assign(slots, 0);
  slots_.reserve(slots);
  streams_.reserve(slots);
  controls_.setZero(world.controls, slots);
  seen_.resize(world.features, std::max(entries, slots));
  standard_.resize(world.features, options.normalize_observations ? seen_.cols() : 0);
  factor_.resize(values());
  squares_.resize(values());
  price_.resize(values());
  if (resumable && options.returns != Returns::monte_carlo)
    running_.emplace(slots, longest_episode(world, steps / slots + room_), world.controls);
}

void ActorCritic::begin_from(const Policy* start) {
  const auto* numbered = dynamic_cast<const NetworkPolicy*>(start);
  const auto* gaussian = dynamic_cast<const GaussianPolicy*>(start);
  if (!numbered && !gaussian) {
    // Small outputs: the first policy is all but uniform.
    network_.initialize(Initialization::orthogonal, rng_.fork("network"), 0.01);
    return;
  }
  const Network& before = numbered ? numbered->network() : gaussian->network();
  if (before.shape() != network_.shape())
    throw InputError({.field = "start"}, "the policy to start from has another network");
  network_.parameters() = before.parameters();
  if (gaussian) log_spread_ = gaussian->log_spread();
}

void ActorCritic::visit_learnt(StateVisitor& state) {
  state.values("network", network_.parameters());
  adam_.visit(state, "adam");
  state.values("value_scale", value_scale_);
  state.values("mean_square", mean_square_);
  if (standardizer_) standardizer_->visit(state);
  if (has_controls()) {
    state.values("log_spread", log_spread_);
    spread_adam_->visit(state, "spread_adam");
  }
  state.value("usual_cost", usual_cost_);
  state.value("env_steps", env_steps_);
  state.value("updates", updates_);
}

MemoryPtr ActorCritic::left_off() {
  auto left = std::make_shared<Safetensors>();
  auto state = StateVisitor::saving(*left);
  visit_learnt(state);
  return left;
}

void ActorCritic::go_on_from(const Safetensors& left_off) {
  try {
    auto state = StateVisitor::restoring(left_off);
    visit_learnt(state);
    state.expect(env_steps_ >= 0 && network_.parameters().allFinite(), "network");
  } catch (const UnfitState& error) {
    throw InputError({.field = "left_off"}, error.what());
  }
  steps_before_ = env_steps_;
}

void ActorCritic::visit(StateVisitor& state) {
  visit_learnt(state);
  state.value("episodes", episodes_);
  finished_.visit(state);
  if (!running_) return;
  running_->visit(state);
  if (state.restores()) running_->replay(*environment_, rng_.fork("episodes"));
}

void ActorCritic::update() {
  act();
  const std::int64_t taken = rollout_.transitions();
  ++updates_;
  if (taken == 0) {
    env_steps_ = steps_;  // every episode ends where it starts: there is nothing to learn
    return;
  }
  env_steps_ += taken;
  find_advantages();
  scale_values();
  learn();
  if (standardizer_) standardizer_->renew(network_);
}

PolicyPtr ActorCritic::policy(Execution execution) const {
  auto copy = std::make_shared<Network>(network_.shape(), 1);
  copy->parameters() = network_.parameters();
  copy->scale_output(kValue, value_scale_);
  if (standardizer_) standardizer_->undo(*copy);
  if (has_controls())
    return std::make_shared<GaussianPolicy>(std::move(copy), log_spread_, options_.squashed, execution);
  return std::make_shared<NetworkPolicy>(std::move(copy), "policy", execution, actions_);
}

}  // namespace c2rl
