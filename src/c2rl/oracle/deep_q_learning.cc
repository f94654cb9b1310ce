// The half of deep Q-learning that learns: a batch, what it says of its actions, and a step of Adam.
#include <algorithm>
#include <limits>

#include "c2rl/nn/dueling.h"
#include "c2rl/oracle/deep_q.h"

namespace c2rl {
namespace {

/// How far below all recorded actions of a state the others are held, the largest reward being 1: as much as
/// one step can cost.
constexpr float kMargin = 1;

}  // namespace

void DeepQ::draw() {
  for (int& i : drawn_) {
    if (count_.empty()) {
      draws_.below(1);  // all are one group
      i = static_cast<int>(draws_.below(static_cast<std::uint64_t>(transitions_.size())));
      continue;
    }
    const auto group =
        group_begin_.begin() + static_cast<std::ptrdiff_t>(draws_.below(group_begin_.size() - 1));
    i = order_[group[0] + static_cast<int>(draws_.below(group[1] - group[0]))];
  }
  inputs_.clear();
  next_.clear();
  stale_.clear();
  if (has_features()) {
    note_observations();
  } else {
    note_states();
  }
}

void DeepQ::note_states() {
  for (int e = 0; e < settings_.batch; ++e) {
    const int state = transitions_.state[drawn_[e]];
    if (noted_[state] != done_) {
      noted_[state] = done_;
      input_[state] = static_cast<int>(inputs_.size());
      inputs_.push_back(state);
    }
    column_[e] = input_[state];
  }
  for (int e = 0; e < settings_.batch; ++e) {
    if (transitions_.terminated[drawn_[e]]) continue;
    const int state = next_key_[e] = transitions_.next_state[drawn_[e]];
    if (noted_[state] != done_) {
      noted_[state] = done_;
      next_.push_back(state);
    }
    if (valued_[state] != synchronisations_) {
      valued_[state] = synchronisations_;
      stale_.push_back(state);
    }
  }
}

void DeepQ::note_observations() {
  for (int e = 0; e < settings_.batch; ++e) {
    column_[e] = e;
    inputs_.push_back(drawn_[e]);
    if (transitions_.terminated[drawn_[e]]) continue;
    next_key_[e] = static_cast<int>(next_.size());
    next_.push_back(drawn_[e]);
    stale_.push_back(drawn_[e]);
  }
}

/// States are what they are; features are columns of the transitions.
void DeepQ::forward(Network& network, std::span<const int> seen, const Eigen::MatrixXf& features) {
  if (!has_features()) {
    network.forward(seen, team_);
    return;
  }
  const auto count = std::ssize(seen);
  for (int j = 0; j < count; ++j) gathered_.col(j) = features.col(seen[j]);
  if (!standardizer_) {
    network.forward(gathered_.leftCols(count), team_);
    return;
  }
  standardizer_->apply(gathered_.leftCols(count), standard_.leftCols(count));
  network.forward(standard_.leftCols(count), team_);
}

float DeepQ::score(const float* advantages, int action) const {
  float sum = 0;
  for (int j = 0; j < outcomes_; ++j) sum += weights_[j] * advantages[j * actions_ + action];
  return sum;
}

/// Notes the best recorded action of what the network was asked about last.
void DeepQ::choose(std::span<const int> seen) {
  const auto advantages = network_.output(kAdvantage);
  for (int j = 0; j < std::ssize(seen); ++j) {
    int best = -1;
    float highest = 0;
    for (int a = 0; a < actions_; ++a) {
      if (!recorded_.has(has_features() ? 0 : seen[j], a)) continue;
      const float found = score(advantages.col(j).data(), a);
      if (best >= 0 && !(found > highest)) continue;
      best = a;
      highest = found;
    }
    greedy_[key(seen, j)] = best;
  }
}

void DeepQ::value_next() {
  if (!next_.empty()) {
    forward(network_, next_, transitions_.next_features);
    choose(next_);
  }
  if (stale_.empty()) return;
  forward(target_, stale_, transitions_.next_features);
  const auto value = target_.output(kValue);
  const auto advantage = target_.output(kAdvantage);
  for (int j = 0; j < outcomes_; ++j) {
    for (int i = 0; i < std::ssize(stale_); ++i) {
      auto q = target_q_.col(key(stale_, i)).segment(Eigen::Index{j} * actions_, actions_);
      dueling_values(value.col(i).segment(j, 1),
                     advantage.col(i).segment(Eigen::Index{j} * actions_, actions_), q);
      q *= value_scale_[j];
    }
  }
}

void DeepQ::learn(double learning_rate) {
  forward(network_, inputs_, transitions_.features);
  if (!has_features()) choose(inputs_);  // what comes next may be among them
  const auto inputs = std::ssize(inputs_);
  for (int j = 0; j < outcomes_; ++j) {
    dueling_values(network_.output(kValue).middleRows(j, 1),
                   network_.output(kAdvantage).middleRows(Eigen::Index{j} * actions_, actions_),
                   q_.block(Eigen::Index{j} * actions_, 0, actions_, inputs));
  }
  q_gradient_.leftCols(inputs).setZero();
  std::fill_n(visits_.begin(), inputs, 0.0f);
  squares_.setZero();
  const auto limit = static_cast<float>(settings_.huber_limit);
  const auto discount = static_cast<float>(settings_.discount);
  for (int e = 0; e < settings_.batch; ++e) {
    const int i = drawn_[e], action = transitions_.action[i];
    visits_[column_[e]] += 1;
    for (int j = 0; j < outcomes_; ++j) {
      float target = transitions_.outcome(j, i);
      if (!transitions_.terminated[i])
        target += discount * target_q_(j * actions_ + greedy_[next_key_[e]], next_key_[e]);
      target *= inverse_scale_[j];
      squares_[j] += target * target;
      const float error = q_(j * actions_ + action, column_[e]) - target;
      q_gradient_(j * actions_ + action, column_[e]) += std::clamp(error, -limit, limit);
    }
  }
  // By then the values are what they are; before, they grow, and their size with them.
  constexpr double kShare = 0.02;
  const double share = std::max(kShare, 1.0 / static_cast<double>(done_ + 1));
  for (int j = 0; j < outcomes_; ++j) {
    const double size = double{value_scale_[j]} * value_scale_[j] * squares_[j] / settings_.batch;
    mean_square_[j] += share * (size - mean_square_[j]);
  }
  hold_down_unrecorded();
  q_gradient_.leftCols(inputs) /= static_cast<float>(settings_.batch);
  for (int j = 0; j < outcomes_; ++j) {
    dueling_gradient(q_gradient_.block(Eigen::Index{j} * actions_, 0, actions_, inputs),
                     network_.output_gradient(kValue).middleRows(j, 1),
                     network_.output_gradient(kAdvantage).middleRows(Eigen::Index{j} * actions_, actions_));
  }
  network_.backward(team_);
  adam_.step(network_.parameters(), network_.gradient(), learning_rate, team_);
}

/// Actions never recorded in a state are held below those that were, so that the greedy policy does not take them.
/// They have one value, a reward.
void DeepQ::hold_down_unrecorded() {
  if (has_features()) return;
  for (int j = 0; j < std::ssize(inputs_); ++j) {
    const int state = inputs_[j];
    if (recorded_.all(state)) continue;
    const int actions = recorded_.counts().of(state);
    float lowest = std::numeric_limits<float>::infinity();
    for (int a = 0; a < actions; ++a) {
      if (recorded_.has(state, a)) lowest = std::min(lowest, q_(a, j));
    }
    for (int a = 0; a < actions; ++a) {
      if (!recorded_.has(state, a))
        q_gradient_(a, j) += visits_[j] * std::clamp(q_(a, j) - (lowest - kMargin), 0.0f, kMargin);
    }
  }
}

}  // namespace c2rl
