#include "c2rl/oracle/actor_critic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

/// From here on the critic's loss grows linearly, so that a few returns far off do not drown the actor.
constexpr float kHuberLimit = 1;

double training_discount(const World& world, const A2cOptions& options) {
  if (options.training_discount > 0) return options.training_discount;
  return world.discount < 1 || world.horizon == 0 ? world.discount : 1 - 1.0 / world.horizon;
}

int room(const World& world, const A2cOptions& options) {
  return options.returns == Returns::monte_carlo ? world.episode_limit : options.rollout_steps;
}

/// The most inputs a rollout can have: what was seen before its steps and after them.
int most_inputs(const World& world, const A2cOptions& options) {
  const std::int64_t entries = std::int64_t{room(world, options)} * options.environments;
  if (world.features > 0) return static_cast<int>(entries);
  return static_cast<int>(std::min<std::int64_t>(world.states, 2 * entries));
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

void ActorCritic::check_size(const World& world, const A2cOptions& options) {
  constexpr double kMostNumbers = 1 << 28;  // allocated before the first step: 2 GiB
  constexpr double kPerStep = 10;           // besides measurements and features
  const double steps = room(world, options);
  const double numbers = steps * options.environments * (kPerStep + world.dim() + world.features);
  if (numbers <= kMostNumbers) return;
  throw InputError(
      {.field = "environments"},
      fmt::format("found {}, which with {:.0f} steps each make a rollout of {:.0f} numbers, expected at most "
                  "{:.0f}",
                  options.environments, steps, numbers, kMostNumbers));
}

NetworkShape ActorCritic::shape(const World& world, const A2cOptions& options) {
  NetworkShape shape;
  shape.inputs = world.features > 0 ? world.features : world.states;
  shape.indexed = world.features == 0;
  shape.trunk = options.hidden;
  shape.heads = {{.name = "policy", .outputs = world.actions}, {.name = "value", .outputs = 1}};
  shape.activation = options.activation;
  return shape;
}

ActorCritic::ActorCritic(const World& world, const A2cOptions& options, const Vector& direction,
                         std::int64_t steps, const Rng& rng, const NetworkPolicy* start, bool resumable)
    : world_(world),
      options_(options),
      direction_(direction),
      discount_(training_discount(world, options)),
      steps_(steps),
      rng_(rng),
      actions_(world),
      environment_(world.environment(options.environments)),
      room_(room(world, options)),
      network_(shape(world, options), std::max(most_inputs(world, options), options.environments)),
      adam_(network_.parameter_count(), {.learning_rate = options.learning_rate}) {
  if (start) {
    if (start->network().shape() != network_.shape())
      throw InputError({.field = "start"}, "the policy to start from has another network");
    network_.parameters() = start->network().parameters();
  } else {
    // Small outputs: the first policy is all but uniform.
    network_.initialize(Initialization::orthogonal, rng.fork("network"), 0.01);
  }
  const int slots = options.environments, entries = room_ * slots;
  const int inputs = most_inputs(world, options);
  rollout_.slots = slots;
  rollout_.taken.resize(entries);
  rollout_.column.resize(entries);
  rollout_.features.resize(world.features, entries);
  rollout_.next_features.resize(world.features, entries);
  seen_.resize(world.features, slots);
  rollout_.state.resize(entries);
  rollout_.next_state.resize(entries);
  rollout_.action.resize(entries);
  rollout_.probability.resize(entries);
  rollout_.measurement.resize(world.dim(), entries);
  rollout_.terminated.resize(entries);
  rollout_.truncated.resize(entries);
  input_states_.reserve(inputs);
  input_of_state_.assign(world.states, -1);
  probabilities_.resize(world.actions, inputs);
  values_.resize(inputs);
  ahead_.resize(entries);
  cut_.resize(entries);
  reward_.resize(entries);
  advantage_.resize(entries);
  target_.resize(entries);
  action_advantage_.resize(world.actions, inputs);
  visits_.resize(inputs);
  value_gradient_.resize(inputs);
  chosen_.assign(slots, 0);
  slots_.reserve(slots);
  if (resumable && options.returns != Returns::monte_carlo)
    running_.emplace(slots, longest_episode(world, steps / slots + room_));
}

void ActorCritic::visit(StateVisitor& state) {
  state.values("network", network_.parameters());
  adam_.visit(state, "adam");
  state.value("usual_cost", usual_cost_);
  state.value("env_steps", env_steps_);
  state.value("episodes", episodes_);
  state.value("updates", updates_);
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
  sum_by_input();
  learn();
}

void ActorCritic::find_advantages() {
  const auto gamma = static_cast<float>(discount_);
  const float lambda = options_.returns == Returns::gae ? static_cast<float>(options_.gae_lambda) : 1.0f;
  double sum = 0, squares = 0;
  std::int64_t count = 0;
  for (int e = 0; e < rollout_.steps * rollout_.slots; ++e) {
    if (!rollout_.taken[e]) continue;
    const double cost = direction_.dot(rollout_.measurement.col(e));
    reward_[e] = static_cast<float>(-cost);
    sum += std::abs(cost);
    ++count;
  }
  usual_cost_ = std::max(usual_cost_, sum / static_cast<double>(count));
  const auto step_cost = static_cast<float>(options_.step_cost * usual_cost_);
  sum = 0;
  count = 0;
  for (int step = rollout_.steps - 1; step >= 0; --step) {
    for (int slot = 0; slot < rollout_.slots; ++slot) {
      const int e = rollout_.entry(step, slot);
      if (!rollout_.taken[e]) continue;
      const float value = values_[rollout_.column[e]];
      const bool last = rollout_.terminated[e] || cut_[e];
      const int after = e + rollout_.slots;  // the next step of the same episode, unless this is the last
      const float ahead = rollout_.terminated[e] ? 0.0f
                          : cut_[e]              ? ahead_[e]
                                                 : values_[rollout_.column[after]];
      advantage_[e] =
          reward_[e] - step_cost + gamma * ahead - value + (last ? 0.0f : gamma * lambda * advantage_[after]);
      target_[e] = advantage_[e] + value;
      sum += advantage_[e];
      squares += double{advantage_[e]} * advantage_[e];
      ++count;
    }
  }
  if (!options_.normalize_advantages) return;
  const double mean = sum / static_cast<double>(count);
  const double variance = std::max(0.0, squares / static_cast<double>(count) - mean * mean);
  const auto shift = static_cast<float>(mean);
  const auto scale = static_cast<float>(1 / (std::sqrt(variance) + 1e-8));
  for (int e = 0; e < rollout_.steps * rollout_.slots; ++e) advantage_[e] = (advantage_[e] - shift) * scale;
}

void ActorCritic::sum_by_input() {
  action_advantage_.leftCols(inputs_).setZero();
  visits_.head(inputs_).setZero();
  value_gradient_.head(inputs_).setZero();
  for (int e = 0; e < rollout_.steps * rollout_.slots; ++e) {
    if (!rollout_.taken[e]) continue;
    const int input = rollout_.column[e];
    action_advantage_(rollout_.action[e], input) += advantage_[e];
    visits_[input] += 1;
    value_gradient_[input] += std::clamp(values_[input] - target_[e], -kHuberLimit, kHuberLimit);
  }
}

void ActorCritic::learn() {
  if (world_.features > 0) {
    network_.forward(rollout_.features.leftCols(inputs_));
  } else {
    network_.forward(std::span<const int>(input_states_));
  }
  const double decay = options_.entropy_decay_part > 0 ? part_done() / options_.entropy_decay_part : 1;
  const double entropy_weight =
      options_.entropy_first + std::min(1.0, decay) * (options_.entropy_last - options_.entropy_first);
  const float per_visit = 1 / visits_.head(inputs_).sum();
  auto scores = network_.output_gradient(kPolicy);
  for (int i = 0; i < inputs_; ++i) {
    const auto p = probabilities_.col(i);
    const double advantage = action_advantage_.col(i).sum();
    double entropy = 0;
    for (int a = 0; a < world_.actions; ++a) entropy -= p[a] > 0 ? p[a] * std::log(p[a]) : 0;
    for (int a = 0; a < world_.actions; ++a) {
      const double pull = p[a] > 0 ? p[a] * (std::log(p[a]) + entropy) : 0;
      scores(a, i) = per_visit * static_cast<float>(p[a] * advantage - action_advantage_(a, i) +
                                                    entropy_weight * visits_[i] * pull);
    }
  }
  network_.output_gradient(kValue).row(0) =
      static_cast<float>(options_.value_weight) * per_visit * value_gradient_.head(inputs_).transpose();
  network_.backward();
  clip_norm(network_.gradient(), options_.max_gradient_norm);
  adam_.step(network_.parameters(), network_.gradient(),
             options_.learning_rate + part_done() * (options_.learning_rate_last - options_.learning_rate));
}

std::shared_ptr<const NetworkPolicy> ActorCritic::policy(Execution execution) const {
  auto copy = std::make_shared<Network>(network_.shape(), 1);
  copy->parameters() = network_.parameters();
  return std::make_shared<NetworkPolicy>(std::move(copy), "policy", execution, actions_);
}

}  // namespace c2rl
