#include "c2rl/oracle/ddqn_training.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/nn/dueling.h"

namespace c2rl {
namespace {

enum Head { kValue, kAdvantage };

/// How far below all recorded actions of a state the others are held, the largest reward being 1: as much as
/// one step can cost.
constexpr float kMargin = 1;

int table_keys(const Dataset& dataset, const DdqnOptions& options) {
  return dataset.features > 0 ? options.batch : dataset.states;
}

int most_inputs(const Dataset& dataset, const DdqnOptions& options) {
  return std::min(options.batch, table_keys(dataset, options));
}

double discount(const Dataset& dataset, const DdqnOptions& options) {
  if (options.training_discount > 0) return options.training_discount;
  return dataset.discount < 1 || dataset.horizon == 0 ? dataset.discount : 1 - 1.0 / dataset.horizon;
}

}  // namespace

void check_actions(const Dataset& dataset, const ActionCounts& actions, const Place& place) {
  for (int i = 0; i < dataset.size(); ++i) {
    const int state = dataset.states > 0 ? dataset.state[i] : 0;
    if (dataset.action[i] >= actions.of(state)) {
      throw InputError(place, fmt::format("transition {}: found {} in state {}, expected 0 to {}", i,
                                          dataset.action[i], state, actions.of(state) - 1));
    }
  }
}

RecordedActions::RecordedActions(const Dataset& dataset, ActionCounts actions)
    : counts_(std::move(actions)), by_state_(dataset.states > 0) {
  if (counts_.most() != dataset.actions) {
    throw InputError({.field = "actions"},
                     fmt::format("found {}, expected {} as the world has", dataset.actions, counts_.most()));
  }
  if (const auto states = std::ssize(counts_.per_state()); states > 0 && states != dataset.states) {
    throw InputError({.field = "states"},
                     fmt::format("found {}, expected {} as the world has", dataset.states, states));
  }
  check_actions(dataset, counts_, {.field = "action"});
  const int rows = by_state_ ? dataset.states : 1;
  recorded_.assign(std::size_t(rows) * counts_.most(), 0);
  all_.assign(rows, 1);
  if (by_state_) {
    for (int i = 0; i < dataset.size(); ++i) recorded_[entry(dataset.state[i], dataset.action[i])] = 1;
  }
  for (int s = 0; s < rows; ++s) {
    const auto first = recorded_.begin() + static_cast<std::ptrdiff_t>(entry(s, 0));
    const auto last = first + counts_.of(s);
    const auto found = std::count(first, last, 1);
    all_[s] = found == 0 || found == counts_.of(s);
    if (found == 0) std::fill(first, last, 1);
  }
}

NetworkShape DdqnTraining::shape(const Dataset& dataset, const DdqnOptions& options) {
  NetworkShape shape;
  shape.inputs = dataset.features > 0 ? dataset.features : dataset.states;
  shape.indexed = dataset.features == 0;
  shape.heads = {{.name = "value", .hidden = options.hidden, .outputs = 1},
                 {.name = "advantage", .hidden = options.hidden, .outputs = dataset.actions}};
  shape.activation = options.activation;
  return shape;
}

DdqnTraining::DdqnTraining(const Dataset& dataset, const RecordedActions& recorded,
                           const DdqnOptions& options, const Vector& direction, std::int64_t updates,
                           const Rng& rng, const NetworkPolicy* start)
    : dataset_(dataset),
      recorded_(recorded),
      options_(options),
      features_(dataset.features > 0),
      updates_(updates),
      draws_(rng.fork("batches")),
      network_(shape(dataset, options), most_inputs(dataset, options)),
      target_(network_.shape(), network_.capacity()),
      adam_(network_.parameter_count(), {.learning_rate = options.learning_rate, .beta1 = options.momentum}) {
  if (start) {
    if (start->network().shape() != network_.shape())
      throw InputError({.field = "start"}, "the policy to start from has another network");
    network_.parameters() = start->network().parameters();
  } else {
    // Small outputs: all values begin near zero.
    network_.initialize(Initialization::orthogonal, rng.fork("network"), 0.01);
  }

  const Vector rewards = -(dataset.measurement.transpose() * direction);
  const double largest = rewards.cwiseAbs().maxCoeff();
  const double scale = largest > 0 ? 1 / largest : 1;
  const auto ahead = static_cast<float>(discount(dataset, options));
  steps_.reserve(dataset.size());
  for (int i = 0; i < dataset.size(); ++i) {
    steps_.push_back({.seen = features_ ? i : dataset.state[i],
                      .next_seen = features_ ? i : dataset.next_state[i],
                      .action = dataset.action[i],
                      .reward = static_cast<float>(scale * rewards[i] - options.step_cost),
                      .discount = dataset.terminated[i] ? 0.0f : ahead});
  }

  group_begin_ = {0};
  if (options.sampling == BatchSampling::balanced && !features_) {
    const auto pair = [](const Step& step) { return std::pair(step.seen, step.action); };
    std::ranges::stable_sort(steps_, {}, pair);
    for (int i = 1; i < std::ssize(steps_); ++i) {
      if (pair(steps_[i]) != pair(steps_[i - 1])) group_begin_.push_back(i);
    }
  }
  group_begin_.push_back(static_cast<int>(steps_.size()));

  const int keys = table_keys(dataset, options), inputs = network_.capacity();
  drawn_.resize(options.batch);
  column_.resize(options.batch);
  next_key_.resize(options.batch);
  for (std::vector<int>* list : {&inputs_, &next_, &stale_}) list->reserve(inputs);
  greedy_.resize(keys);
  target_q_.resize(dataset.actions, keys);
  if (!features_) {
    valued_.assign(keys, 0);
    noted_.assign(keys, -1);
    input_.assign(keys, 0);
  }
  gathered_.resize(dataset.features, inputs);
  q_.resize(dataset.actions, inputs);
  q_gradient_.resize(dataset.actions, inputs);
  visits_.resize(inputs);
}

void DdqnTraining::update() {
  if (done_ % options_.target_period == 0) {
    target_.parameters() = network_.parameters();
    ++synchronisations_;
  }
  draw();
  value_next();
  learn();
  ++done_;
}

void DdqnTraining::visit(StateVisitor& state) {
  state.values("network", network_.parameters());
  state.values("target", target_.parameters());
  adam_.visit(state, "adam");
  state.value("updates", done_);
  state.value("batches", draws_);
  if (features_) return;
  // A batch of other states would round the target network's values differently: they are kept, not computed anew.
  state.value("synchronisations", synchronisations_);
  state.values("valued", valued_);
  state.values("target_q", target_q_);
}

void DdqnTraining::draw() {
  for (int& i : drawn_) {
    const auto group =
        group_begin_.begin() + static_cast<std::ptrdiff_t>(draws_.below(group_begin_.size() - 1));
    i = group[0] + static_cast<int>(draws_.below(group[1] - group[0]));
  }
  inputs_.clear();
  next_.clear();
  stale_.clear();
  if (features_) {
    note_observations();
  } else {
    note_states();
  }
}

void DdqnTraining::note_states() {
  for (int e = 0; e < options_.batch; ++e) {
    const int state = steps_[drawn_[e]].seen;
    if (noted_[state] != done_) {
      noted_[state] = done_;
      input_[state] = static_cast<int>(inputs_.size());
      inputs_.push_back(state);
    }
    column_[e] = input_[state];
  }
  for (int e = 0; e < options_.batch; ++e) {
    const Step& step = steps_[drawn_[e]];
    if (step.discount == 0) continue;
    const int state = next_key_[e] = step.next_seen;
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

void DdqnTraining::note_observations() {
  for (int e = 0; e < options_.batch; ++e) {
    const Step& step = steps_[drawn_[e]];
    column_[e] = e;
    inputs_.push_back(step.seen);
    if (step.discount == 0) continue;
    next_key_[e] = static_cast<int>(next_.size());
    next_.push_back(step.next_seen);
    stale_.push_back(step.next_seen);
  }
}

/// States are what they are; observations are columns of the dataset.
void DdqnTraining::forward(Network& network, std::span<const int> seen, const Eigen::MatrixXf& observations) {
  if (!features_) {
    network.forward(seen);
    return;
  }
  for (int j = 0; j < std::ssize(seen); ++j) gathered_.col(j) = observations.col(seen[j]);
  network.forward(gathered_.leftCols(std::ssize(seen)));
}

/// Notes the best recorded action of what the network was asked about last.
void DdqnTraining::choose(std::span<const int> seen) {
  const auto scores = network_.output(kAdvantage);
  for (int j = 0; j < std::ssize(seen); ++j) {
    int best = -1;
    for (int a = 0; a < scores.rows(); ++a) {
      if (recorded_.has(features_ ? 0 : seen[j], a) && (best < 0 || scores(a, j) > scores(best, j))) best = a;
    }
    greedy_[key(seen, j)] = best;
  }
}

void DdqnTraining::value_next() {
  if (!next_.empty()) {
    forward(network_, next_, dataset_.next_observation);
    choose(next_);
  }
  if (stale_.empty()) return;
  forward(target_, stale_, dataset_.next_observation);
  const auto value = target_.output(kValue);
  const auto advantage = target_.output(kAdvantage);
  for (int j = 0; j < std::ssize(stale_); ++j)
    dueling_values(value.col(j), advantage.col(j), target_q_.col(key(stale_, j)));
}

void DdqnTraining::learn() {
  forward(network_, inputs_, dataset_.observation);
  if (!features_) choose(inputs_);  // what comes next may be among them
  const auto inputs = std::ssize(inputs_);
  dueling_values(network_.output(kValue), network_.output(kAdvantage), q_.leftCols(inputs));
  q_gradient_.leftCols(inputs).setZero();
  std::fill_n(visits_.begin(), inputs, 0.0f);
  const auto limit = static_cast<float>(options_.huber_limit);
  for (int e = 0; e < options_.batch; ++e) {
    const Step& step = steps_[drawn_[e]];
    float target = step.reward;
    if (step.discount > 0) target += step.discount * target_q_(greedy_[next_key_[e]], next_key_[e]);
    const float error = q_(step.action, column_[e]) - target;
    q_gradient_(step.action, column_[e]) += std::clamp(error, -limit, limit);
    visits_[column_[e]] += 1;
  }
  hold_down_unrecorded();
  q_gradient_.leftCols(inputs) /= static_cast<float>(options_.batch);
  dueling_gradient(q_gradient_.leftCols(inputs), network_.output_gradient(kValue),
                   network_.output_gradient(kAdvantage));
  network_.backward();
  adam_.step(network_.parameters(), network_.gradient(),
             options_.learning_rate + part_done() * (options_.learning_rate_last - options_.learning_rate));
}

void DdqnTraining::hold_down_unrecorded() {
  if (features_) return;
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

std::shared_ptr<const NetworkPolicy> DdqnTraining::policy() const {
  auto copy = std::make_shared<Network>(network_.shape(), 1);
  copy->parameters() = network_.parameters();
  return std::make_shared<NetworkPolicy>(std::move(copy), "advantage", Execution::greedy, recorded_.counts());
}

}  // namespace c2rl
