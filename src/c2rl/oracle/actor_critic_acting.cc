// The half of training that acts: a rollout with the policy as it is, and what the network says on the way.
#include <cmath>

#include "c2rl/oracle/actor_critic.h"

namespace c2rl {

int ActorCritic::input_of(int state) {
  int& input = input_of_state_[state];
  if (input < 0) {
    input = inputs_++;
    input_states_.push_back(state);
  }
  return input;
}

void ActorCritic::forget_inputs() {
  for (const int state : input_states_) input_of_state_[state] = -1;
  input_states_.clear();
  inputs_ = 0;
}

/// Asks the network about the inputs from `first` on.
void ActorCritic::evaluate_inputs(int first) {
  if (first == inputs_) return;
  const int count = inputs_ - first;
  if (has_features()) {
    read(rollout_.features.middleCols(first, count));
  } else {
    network_.forward(std::span<const int>(input_states_).subspan(first), team_);
  }
  distribute(first, count);
  values_.middleCols(first, count) =
      (network_.output(kValue).array().colwise() * value_scale_.array()).matrix();
}

/// What the network's last answers, to inputs from `first` on, say of their actions.
void ActorCritic::distribute(int first, int count) {
  const auto outputs = network_.output(kPolicy);
  if (has_controls()) {
    means_.middleCols(first, count) = outputs;
    return;
  }
  const auto rows = static_cast<std::size_t>(world_.actions);
  for (int i = 0; i < count; ++i) {
    const int actions = actions_.of(has_features() ? 0 : input_states_[first + i]);
    softmax(outputs.col(i).data(), actions, {probabilities_.col(first + i).data(), rows});
  }
}

/// Notes what the slots see before a step.
void ActorCritic::see(int step) {
  const int first = inputs_;
  if (has_features()) {
    rollout_.features.middleCols(rollout_.entry(step, 0), rollout_.slots) = environment_->features();
    inputs_ += rollout_.slots;
  }
  for (int slot = 0; slot < rollout_.slots; ++slot) {
    const int e = rollout_.entry(step, slot);
    rollout_.taken[e] = environment_->ended(slot) ? 0 : 1;
    if (environment_->ended(slot)) continue;
    rollout_.state[e] = environment_->states()[slot];
    rollout_.column[e] = has_features() ? first + slot : input_of(rollout_.state[e]);
    if (standardizer_) standardizer_->add(rollout_.features.col(e));
  }
  evaluate_inputs(first);
}

/// The critic's values of where these slots are after a step, as what is ahead of it.
void ActorCritic::bootstrap(int step, std::span<const int> slots) {
  if (slots.empty()) return;
  const int first = inputs_;
  if (has_features()) {
    for (int i = 0; i < std::ssize(slots); ++i) seen_.col(i) = environment_->features().col(slots[i]);
    read(seen_.leftCols(std::ssize(slots)));
  } else {
    for (const int slot : slots) input_of(environment_->states()[slot]);
    evaluate_inputs(first);
  }
  for (int i = 0; i < std::ssize(slots); ++i) {
    const int e = rollout_.entry(step, slots[i]);
    if (has_features()) {
      ahead_.col(e) = network_.output(kValue).col(i).cwiseProduct(value_scale_);
    } else {
      ahead_.col(e) = values_.col(input_of(environment_->states()[slots[i]]));
    }
    cut_[e] = 1;
  }
}

/// Draws what the slots do.
void ActorCritic::choose(int step, Rng& draws) {
  for (int slot = 0; slot < rollout_.slots; ++slot) {
    const int e = rollout_.entry(step, slot);
    if (!rollout_.taken[e]) continue;
    const int input = rollout_.column[e];
    if (has_controls()) {
      for (int k = 0; k < world_.controls; ++k) {
        const float spread = std::exp(log_spread_[k]);
        const float number = means_(k, input) + spread * static_cast<float>(draws.normal());
        rollout_.controls(k, e) = number;
        controls_(k, slot) = options_.squashed ? std::tanh(number) : number;
      }
      rollout_.probability[e] =
          log_density(&rollout_.controls(0, e), &means_(0, input), log_spread_.data(), world_.controls);
      if (running_) running_->add(slot, controls_.col(slot));
      continue;
    }
    const double* p = probabilities_.col(input).data();
    double left = draws.uniform() - p[0];
    int action = 0;
    while (left >= 0 && action + 1 < world_.actions) left -= p[++action];
    while (p[action] == 0) --action;  // rounding left a rest: the last possible action
    chosen_[slot] = rollout_.action[e] = action;
    rollout_.probability[e] = p[action];
    if (running_) running_->add(slot, action);
  }
}

/// In slots that have ended, unless a rollout is one episode of each.
void ActorCritic::begin_episodes(int step) {
  const bool whole_episodes = options_.returns == Returns::monte_carlo;
  const Rng episodes = rng_.fork("episodes");
  slots_.clear();
  streams_.clear();
  for (int slot = 0; slot < rollout_.slots; ++slot) {
    if (whole_episodes ? step > 0 : !environment_->ended(slot)) continue;
    if (running_) running_->begin(slot, episodes_);
    finished_.begin(slot);
    slots_.push_back(slot);
    streams_.push_back(episodes.fork("episode", episodes_++));
  }
  if (!slots_.empty()) environment_->reset(slots_, streams_);
}

void ActorCritic::act() {
  forget_inputs();
  Rng draws = rng_.fork("actions", updates_);
  for (int step = 0; step < room_; ++step) {
    begin_episodes(step);
    bool going_on = false;
    for (int slot = 0; slot < rollout_.slots; ++slot) going_on = going_on || !environment_->ended(slot);
    rollout_.steps = step + 1;
    if (options_.returns == Returns::monte_carlo && !going_on) {
      rollout_.steps = step;
      break;
    }
    see(step);
    choose(step, draws);
    environment_->step(has_controls() ? Actions(controls_) : Actions(chosen_));
    slots_.clear();
    for (int slot = 0; slot < rollout_.slots; ++slot) {
      const int e = rollout_.entry(step, slot);
      cut_[e] = 0;
      rollout_.measurement.col(e) = environment_->measurement().col(slot);
      rollout_.terminated[e] = environment_->terminated(slot);
      rollout_.truncated[e] = environment_->truncated(slot);
      rollout_.next_state[e] = environment_->states()[slot];
      if (!rollout_.taken[e]) continue;
      finished_.add(slot, rollout_.measurement.col(e));
      if (environment_->ended(slot)) finished_.end(slot);
      const bool rest_unknown = environment_->truncated(slot) || step + 1 == room_;
      if (rest_unknown && !environment_->terminated(slot)) slots_.push_back(slot);
    }
    if (has_features())
      rollout_.next_features.middleCols(rollout_.entry(step, 0), rollout_.slots) = environment_->features();
    bootstrap(step, slots_);
  }
}

}  // namespace c2rl
