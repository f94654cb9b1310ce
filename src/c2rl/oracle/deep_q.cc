#include "c2rl/oracle/deep_q.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "c2rl/oracle/training_threads.h"

namespace c2rl {
namespace {

int table_keys(const WorldShape& shape, const DeepQSettings& settings) {
  return shape.features > 0 ? settings.batch : shape.states;
}

int most_inputs(const WorldShape& shape, const DeepQSettings& settings) {
  return std::min(settings.batch, table_keys(shape, settings));
}

}  // namespace

NetworkShape DeepQ::network_shape(const WorldShape& shape, const DeepQSettings& settings, int outcomes) {
  NetworkShape network;
  network.inputs = shape.features > 0 ? shape.features : shape.states;
  network.indexed = shape.features == 0;
  if (settings.conditioned) network.common = shape.dim();
  network.heads = {{.name = "value", .hidden = settings.hidden, .outputs = outcomes},
                   {.name = "advantage", .hidden = settings.hidden, .outputs = shape.actions * outcomes}};
  network.activation = settings.activation;
  return network;
}

DeepQ::DeepQ(const WorldShape& shape, const Transitions& transitions, const RecordedActions& recorded,
             const DeepQSettings& settings, const Rng& rng, int asked)
    : transitions_(transitions),
      recorded_(recorded),
      settings_(settings),
      actions_(shape.actions),
      outcomes_(transitions.outcomes()),
      draws_(rng.fork("batches")),
      team_(training_threads(settings.threads, network_shape(shape, settings, outcomes_),
                             most_inputs(shape, settings))),
      network_(network_shape(shape, settings, outcomes_), std::max(most_inputs(shape, settings), asked)),
      target_(network_.shape(), most_inputs(shape, settings)),
      adam_(network_.parameter_count(), {.beta1 = settings.momentum}),
      prices_(Eigen::VectorXf::Ones(outcomes_)),
      weights_(prices_),
      value_scale_(prices_),
      inverse_scale_(prices_),
      mean_square_(Vector::Zero(outcomes_)) {
  // Small outputs: all values begin near zero.
  network_.initialize(Initialization::orthogonal, rng.fork("network"), 0.01);
  if (settings.normalized && has_features()) standardizer_.emplace(shape.features);

  const int keys = table_keys(shape, settings), inputs = most_inputs(shape, settings);
  if (settings.sampling == BatchSampling::balanced && !has_features()) {
    order_.reserve(transitions.room());
    count_.resize(static_cast<std::size_t>(shape.states) * actions_ + 1);
    group_begin_.reserve(std::min<std::size_t>(count_.size(), transitions.room()) + 1);
  }
  drawn_.resize(settings.batch);
  column_.resize(settings.batch);
  next_key_.resize(settings.batch);
  for (std::vector<int>* list : {&inputs_, &next_, &stale_}) list->reserve(inputs);
  greedy_.resize(keys);
  const int rows = actions_ * outcomes_;
  target_q_.resize(rows, keys);
  if (!has_features()) {
    valued_.assign(keys, 0);
    noted_.assign(keys, -1);
    input_.assign(keys, 0);
  }
  gathered_.resize(shape.features, network_.capacity());
  standard_.resize(shape.features, standardizer_ ? network_.capacity() : 0);
  q_.resize(rows, inputs);
  q_gradient_.resize(rows, inputs);
  squares_.resize(outcomes_);
  factor_.resize(outcomes_);
  action_factor_.resize(rows);
  visits_.resize(inputs);
  renew_groups();
}

void DeepQ::set_prices(const Eigen::Ref<const Eigen::VectorXf>& prices) {
  prices_ = prices;
  weights_ = prices_.cwiseProduct(value_scale_);
}

/// What the target network said was for another direction.
void DeepQ::turn_to(const Eigen::Ref<const Eigen::VectorXf>& direction) {
  network_.set_common(direction);
  target_.set_common(direction);
  ++synchronisations_;
}

void DeepQ::look_at(const Eigen::Ref<const Eigen::VectorXf>& features) {
  if (standardizer_) standardizer_->add(features);
}

/// Sorted by counting, so that those of a group stay in their order.
void DeepQ::renew_groups() {
  if (count_.empty()) return;
  const int size = transitions_.size();
  order_.resize(size);
  group_begin_.clear();
  group_begin_.push_back(0);
  const auto pair = [&](int i) {
    return static_cast<std::size_t>(transitions_.state[i]) * actions_ + transitions_.action[i];
  };
  std::ranges::fill(count_, 0);
  for (int i = 0; i < size; ++i) ++count_[pair(i) + 1];
  for (std::size_t p = 1; p < count_.size(); ++p) {
    count_[p] += count_[p - 1];
    if (count_[p] > count_[p - 1]) group_begin_.push_back(count_[p]);
  }
  for (int i = 0; i < size; ++i) order_[count_[pair(i)]++] = i;
}

void DeepQ::update(double learning_rate) {
  if (done_ % settings_.target_period == 0) synchronise();
  draw();
  value_next();
  learn(learning_rate);
  ++done_;
}

void DeepQ::synchronise() {
  if (settings_.normalized) scale_values();
  if (standardizer_) standardizer_->renew(network_);
  target_.parameters() = network_.parameters();
  ++synchronisations_;
}

/// Keeps what the network says of each outcome at a size of about 1, however large that is; what it means stays
/// the same.
void DeepQ::scale_values() {
  for (int j = 0; j < outcomes_; ++j) {
    const auto scale = static_cast<float>(std::sqrt(mean_square_[j]));
    factor_[j] = 1;
    if (!(scale > 0)) continue;
    factor_[j] = value_scale_[j] / scale;
    value_scale_[j] = scale;
    inverse_scale_[j] = 1 / scale;
  }
  network_.scale_output(kValue, factor_);
  for (int j = 0; j < outcomes_; ++j)
    action_factor_.segment(Eigen::Index{j} * actions_, actions_).setConstant(factor_[j]);
  network_.scale_output(kAdvantage, action_factor_);
  weights_ = prices_.cwiseProduct(value_scale_);
}

void DeepQ::visit_knowledge(StateVisitor& state) {
  state.values("network", network_.parameters());
  state.values("value_scale", value_scale_);
  state.values("mean_square", mean_square_);
  if (standardizer_) standardizer_->visit(state);
  state.expect((value_scale_.array() > 0).all() && network_.parameters().allFinite(), "value_scale");
  inverse_scale_ = value_scale_.cwiseInverse();
  weights_ = prices_.cwiseProduct(value_scale_);
  state.values("target", target_.parameters());
  if (state.restores()) ++synchronisations_;  // what was noted is of another target network
  adam_.visit(state, "adam");
  state.value("updates", done_);
}

void DeepQ::visit(StateVisitor& state) {
  visit_knowledge(state);
  state.value("batches", draws_);
  if (has_features()) return;
  // A batch of other states would round the target network's values differently: they are kept, not computed anew.
  state.value("synchronisations", synchronisations_);
  state.values("valued", valued_);
  state.values("target_q", target_q_);
}

void DeepQ::visit_groups(StateVisitor& state) {
  const auto most = static_cast<std::size_t>(transitions_.room()) + 1;
  state.list("order", order_, most);
  state.list("groups", group_begin_, most);
  const auto fits = [](const std::vector<int>& list, int end) {
    return std::ranges::all_of(list, [&](int i) { return i >= 0 && i < end; });
  };
  const auto size = static_cast<int>(order_.size());
  state.expect(fits(order_, transitions_.size()), "order");
  const bool grow =
      std::ranges::adjacent_find(group_begin_, std::ranges::greater_equal()) == group_begin_.end();
  const bool enough = count_.empty() || transitions_.size() == 0 || group_begin_.size() > 1;
  state.expect(fits(group_begin_, size + 1) && grow && enough, "groups");
}

void DeepQ::score(const Observations& seen, Eigen::Ref<Eigen::MatrixXf> scores) {
  if (seen.are_indices()) {
    network_.forward(seen.indices(), team_);
  } else if (standardizer_) {
    standardizer_->apply(seen.values(), standard_.leftCols(seen.size()));
    network_.forward(standard_.leftCols(seen.size()), team_);
  } else {
    network_.forward(seen.values(), team_);
  }
  const auto advantages = network_.output(kAdvantage);
  for (int i = 0; i < seen.size(); ++i) {
    for (int a = 0; a < actions_; ++a) scores(a, i) = score(advantages.col(i).data(), a);
  }
}

/// The branch of the advantages, with an output that is what the prices make of them.
std::shared_ptr<const NetworkPolicy> DeepQ::policy() const {
  const Network asked = network_.without_common();
  NetworkShape shape = asked.shape();
  shape.heads.erase(shape.heads.begin());
  shape.heads[0].outputs = actions_;
  auto network = std::make_shared<Network>(shape, 1);
  const int last = shape.heads[0].hidden.empty() ? shape.inputs : shape.heads[0].hidden.back();
  const int hidden = network->parameter_count() - actions_ * (last + 1);
  const int rows = actions_ * outcomes_;
  const Eigen::Index outputs = asked.parameter_count() - Eigen::Index{rows} * (last + 1);
  network->parameters().head(hidden) = asked.parameters().segment(outputs - hidden, hidden);
  // Weights by columns, and then the biases, as one more.
  const Eigen::Map<const Eigen::MatrixXf> before(asked.parameters().data() + outputs, rows, last + 1);
  Eigen::Map<Eigen::MatrixXf> priced(network->parameters().data() + hidden, actions_, last + 1);
  for (int i = 0; i <= last; ++i) {
    for (int a = 0; a < actions_; ++a) priced(a, i) = score(before.col(i).data(), a);
  }
  if (standardizer_) standardizer_->undo(*network);
  // Of a conditioned network, a direction has its own biases of the first layer, and its own outputs.
  std::vector<std::string> shared;
  if (settings_.conditioned) {
    const std::string first = "advantage.0.bias",
                      output = fmt::format("advantage.{}.", shape.heads[0].hidden.size());
    for (const Tensor& array : network->tensors()) {
      if (array.name != first && !array.name.starts_with(output)) shared.push_back(array.name);
    }
  }
  return std::make_shared<NetworkPolicy>(std::move(network), "advantage", Execution::greedy,
                                         recorded_.counts(), std::move(shared));
}

}  // namespace c2rl
