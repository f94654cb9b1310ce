#include "c2rl/oracle/network_policy.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/oracle/network_file.h"
#include "c2rl/oracle/policy_kinds.h"

namespace c2rl {
namespace {

/// Inputs a network is given together: enough to keep it busy, few enough for the cache.
constexpr int kBatch = 256;

constexpr const char* kCounts = "action_counts";

/// A network with the same parameters that may be run while others run theirs.
Network copy_of(const Network& network, int capacity) {
  Network copy(network.shape(), capacity);
  copy.parameters() = network.parameters();
  return copy;
}

}  // namespace

const EnumNames<Execution>& execution_names() {
  static const EnumNames<Execution> kNames("execution", {"stochastic", "greedy"});
  return kNames;
}

void softmax(const float* scores, int actions, std::span<double> probabilities) {
  const float highest = *std::max_element(scores, scores + actions);
  double sum = 0;
  for (int a = 0; a < actions; ++a) sum += probabilities[a] = std::exp(double{scores[a]} - highest);
  for (int a = 0; a < actions; ++a) probabilities[a] /= sum;
  std::fill(probabilities.begin() + actions, probabilities.end(), 0.0);
}

ActionCounts::ActionCounts(const World& world) : actions_(world.actions) {
  if (!world.model) return;
  bool alike = true;
  for (int s = 0; s < world.states; ++s)
    alike = alike && (world.model->is_terminal(s) || world.model->actions(s) == actions_);
  if (alike) return;
  for (int s = 0; s < world.states; ++s) per_state_.push_back(std::max(1, world.model->actions(s)));
}

ActionCounts::ActionCounts(int actions, std::vector<std::int32_t> per_state)
    : actions_(actions), per_state_(std::move(per_state)) {
  for (const int count : per_state_) {
    if (count < 1 || count > actions_)
      refuse_policy(fmt::format("a state has {} actions; expected 1 to {}", count, actions_));
  }
}

NetworkPolicy::NetworkPolicy(std::shared_ptr<const Network> network, const std::string& head,
                             Execution execution, ActionCounts actions, std::vector<std::string> shared)
    : network_(std::move(network)),
      execution_(execution),
      actions_(std::move(actions)),
      shared_(std::move(shared)) {
  const NetworkShape& shape = network_->shape();
  for (int h = 0; h < std::ssize(shape.heads); ++h) {
    if (shape.heads[h].name == head) head_ = h;
  }
  if (head_ < 0) refuse_policy(fmt::format("the network has no head '{}'", head));
  if (shape.heads[head_].outputs != actions_.most())
    refuse_policy(fmt::format("head '{}' has {} outputs for {} actions", head, shape.heads[head_].outputs,
                              actions_.most()));
  if (!actions_.per_state().empty() && std::ssize(actions_.per_state()) != shape.inputs)
    refuse_policy(
        fmt::format("{} has {} entries for {} states", kCounts, actions_.per_state().size(), shape.inputs));
}

void NetworkPolicy::distribute(const float* scores, int state, Eigen::Ref<Vector> probabilities) const {
  const int count = actions_.of(state);
  if (execution_ == Execution::stochastic) {
    softmax(scores, count, {probabilities.data(), static_cast<std::size_t>(probabilities.size())});
  } else {
    probabilities.setZero();
    probabilities[std::max_element(scores, scores + count) - scores] = 1;
  }
}

void NetworkPolicy::fill_table() const {
  const int states = network_->shape().inputs;
  Network network = copy_of(*network_, std::min(states, kBatch));
  table_.resize(actions_.most(), states);
  std::vector<int> batch;
  for (int first = 0; first < states; first += kBatch) {
    batch.clear();
    for (int s = first; s < std::min(states, first + kBatch); ++s) batch.push_back(s);
    network.forward(std::span<const int>(batch));
    const auto scores = network.output(head_);
    for (const int s : batch) distribute(scores.col(s - first).data(), s, table_.col(s));
  }
}

void NetworkPolicy::action_probabilities(const Observations& observations, int /*step*/,
                                         Eigen::Ref<Matrix> probabilities) const {
  if (observations.are_indices() != network_->shape().indexed)
    throw std::logic_error("action_probabilities: the network sees the other of features and states");
  if (probabilities.cols() != observations.size()) {
    throw std::logic_error(fmt::format("action_probabilities: {} columns for {} observations",
                                       probabilities.cols(), observations.size()));
  }
  const auto rows = std::min<Eigen::Index>(probabilities.rows(), actions_.most());
  probabilities.setZero();
  if (observations.are_indices()) {
    std::call_once(filled_, [this] { fill_table(); });
    const auto states = observations.indices();
    for (int i = 0; i < observations.size(); ++i) {
      if (states[i] < 0 || states[i] >= table_.cols())
        throw std::logic_error(fmt::format("action_probabilities: state {} of {}", states[i], table_.cols()));
      probabilities.col(i).head(rows) = table_.col(states[i]).head(rows);
    }
    return;
  }
  Network network = copy_of(*network_, std::min(observations.size(), kBatch));
  Vector column(actions_.most());
  for (int first = 0; first < observations.size(); first += kBatch) {
    const int count = std::min(kBatch, observations.size() - first);
    network.forward(observations.values().middleCols(first, count));
    const auto scores = network.output(head_);
    for (int i = 0; i < count; ++i) {
      distribute(scores.col(i).data(), 0, column);
      probabilities.col(first + i).head(rows) = column.head(rows);
    }
  }
}

void NetworkPolicy::check_fits(const World& world) const {
  const NetworkShape& shape = network_->shape();
  if (world.controls > 0) refuse_policy("its actions are numbered; expected real numbers, as the world has");
  const bool indexed = world.features == 0;
  const int inputs = indexed ? world.states : world.features;
  if (shape.indexed != indexed || shape.inputs != inputs) {
    const auto words = [](int count, bool states) {
      return fmt::format("{} {}", count, states ? "states" : "features");
    };
    refuse_policy(fmt::format("sees {}; expected {}, as the world has", words(shape.inputs, shape.indexed),
                              words(inputs, indexed)));
  }
  if (actions_.most() > world.actions)
    refuse_policy(
        fmt::format("has {} actions; expected {}, as the world has", actions_.most(), world.actions));
  for (int s = 0; world.model && s < world.states; ++s) {
    if (!world.model->is_terminal(s) && actions_.of(s) > world.model->actions(s))
      refuse_policy(fmt::format("has {} actions in state {}; expected {}, as the world has", actions_.of(s),
                                s, world.model->actions(s)));
  }
}

std::vector<Tensor> NetworkPolicy::arrays() const {
  std::vector<Tensor> arrays = network_->tensors();
  if (!actions_.per_state().empty()) {
    const auto bytes = std::as_bytes(std::span(actions_.per_state()));
    arrays.push_back({kCounts, "I32", {std::ssize(actions_.per_state())}, {bytes.begin(), bytes.end()}});
  }
  return arrays;
}

std::map<std::string, std::string> NetworkPolicy::metadata() const {
  std::map<std::string, std::string> result = c2rl::metadata(network_->shape());
  result["policy_head"] = network_->shape().heads[head_].name;
  result["execution"] = execution_names().of(execution_);
  return result;
}

std::shared_ptr<const NetworkPolicy> NetworkPolicy::from_file(
    const std::map<std::string, std::string>& metadata, std::span<const Tensor> arrays) {
  std::vector<std::int32_t> counts;
  const std::vector<Tensor> of_network = arrays_without(arrays, kCounts, "I32", counts);
  const NetworkShape shape = shape_from(metadata, of_network);
  auto network = std::make_shared<Network>(shape, 1);
  network->load(of_network);
  const std::string head = metadata_entry(metadata, "policy_head");
  int outputs = 0;
  for (const auto& candidate : shape.heads) {
    if (candidate.name == head) outputs = candidate.outputs;
  }
  return std::make_shared<NetworkPolicy>(network, head,
                                         execution_names().parse(metadata_entry(metadata, "execution")),
                                         ActionCounts(outputs, std::move(counts)), shared_arrays(metadata));
}

PolicyKind network_policy_kind() {
  PolicyKind kind;
  kind.name = NetworkPolicy::kKind;
  kind.summary = "a network that scores the actions of what is seen";
  kind.load = [](const Safetensors& content) {
    return NetworkPolicy::from_file(content.metadata, content.tensors);
  };
  return kind;
}

}  // namespace c2rl
