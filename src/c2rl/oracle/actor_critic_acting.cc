// The half of training that acts: a rollout with the policy as it is, and what the network says on the way.
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

/// Asks the network about the inputs from `first` on.
void ActorCritic::evaluate_inputs(int first) {
  if (first == inputs_) return;
  if (world_.features > 0) {
    network_.forward(rollout_.features.middleCols(first, inputs_ - first));
  } else {
    network_.forward(std::span<const int>(input_states_).subspan(first));
  }
  const auto scores = network_.output(kPolicy);
  const auto values = network_.output(kValue);
  const auto rows = static_cast<std::size_t>(world_.actions);
  for (int i = first; i < inputs_; ++i) {
    const int count = actions_.of(world_.features > 0 ? 0 : input_states_[i]);
    softmax(scores.col(i - first).data(), count, {probabilities_.col(i).data(), rows});
    values_[i] = values(0, i - first);
  }
}

/// Notes what the slots see before a step.
void ActorCritic::see(int step) {
  const int first = inputs_;
  if (world_.features > 0) {
    rollout_.features.middleCols(rollout_.entry(step, 0), rollout_.slots) = environment_->features();
    inputs_ += rollout_.slots;
  }
  for (int slot = 0; slot < rollout_.slots; ++slot) {
    const int e = rollout_.entry(step, slot);
    rollout_.taken[e] = environment_->ended(slot) ? 0 : 1;
    if (environment_->ended(slot)) continue;
    rollout_.state[e] = environment_->states()[slot];
    rollout_.column[e] = world_.features > 0 ? first + slot : input_of(rollout_.state[e]);
  }
  evaluate_inputs(first);
}

/// The critic's value of where these slots are after a step, as what is ahead of it.
void ActorCritic::bootstrap(int step, std::span<const int> slots) {
  if (slots.empty()) return;
  const int first = inputs_;
  if (world_.features > 0) {
    for (int i = 0; i < std::ssize(slots); ++i) seen_.col(i) = environment_->features().col(slots[i]);
    network_.forward(seen_.leftCols(std::ssize(slots)));
  } else {
    for (const int slot : slots) input_of(environment_->states()[slot]);
    evaluate_inputs(first);
  }
  for (int i = 0; i < std::ssize(slots); ++i) {
    const int e = rollout_.entry(step, slots[i]);
    ahead_[e] = world_.features > 0 ? network_.output(kValue)(0, i)
                                    : values_[input_of(environment_->states()[slots[i]])];
    cut_[e] = 1;
  }
}

void ActorCritic::act() {
  for (const int state : input_states_) input_of_state_[state] = -1;
  input_states_.clear();
  inputs_ = 0;
  const bool whole_episodes = options_.returns == Returns::monte_carlo;
  const Rng episodes = rng_.fork("episodes");
  Rng draws = rng_.fork("actions", updates_);
  for (int step = 0; step < room_; ++step) {
    bool going_on = false;
    for (int slot = 0; slot < rollout_.slots; ++slot) {
      if (environment_->ended(slot) || (whole_episodes && step == 0)) {
        if (!whole_episodes || step == 0) {
          if (running_) running_->begin(slot, episodes_);
          environment_->reset(slot, episodes.fork("episode", episodes_++));
        }
      }
      going_on = going_on || !environment_->ended(slot);
    }
    rollout_.steps = step + 1;
    if (whole_episodes && !going_on) {
      rollout_.steps = step;
      break;
    }
    see(step);
    for (int slot = 0; slot < rollout_.slots; ++slot) {
      const int e = rollout_.entry(step, slot);
      if (!rollout_.taken[e]) continue;
      const double* p = probabilities_.col(rollout_.column[e]).data();
      double left = draws.uniform() - p[0];
      int action = 0;
      while (left >= 0 && action + 1 < world_.actions) left -= p[++action];
      while (p[action] == 0) --action;  // rounding left a rest: the last possible action
      chosen_[slot] = rollout_.action[e] = action;
      rollout_.probability[e] = p[action];
      if (running_) running_->add(slot, action);
    }
    environment_->step(chosen_);
    slots_.clear();
    for (int slot = 0; slot < rollout_.slots; ++slot) {
      const int e = rollout_.entry(step, slot);
      cut_[e] = 0;
      rollout_.measurement.col(e) = environment_->measurement().col(slot);
      rollout_.terminated[e] = environment_->terminated(slot);
      rollout_.truncated[e] = environment_->truncated(slot);
      rollout_.next_state[e] = environment_->states()[slot];
      const bool rest_unknown = environment_->truncated(slot) || step + 1 == room_;
      if (rollout_.taken[e] && rest_unknown && !environment_->terminated(slot)) slots_.push_back(slot);
    }
    if (world_.features > 0)
      rollout_.next_features.middleCols(rollout_.entry(step, 0), rollout_.slots) = environment_->features();
    bootstrap(step, slots_);
  }
}

}  // namespace c2rl
