#include "c2rl/oracle/gaussian_policy.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/network_file.h"
#include "c2rl/oracle/policy_kinds.h"

namespace c2rl {
namespace {

constexpr int kBatch = 256;
constexpr const char* kSpreads = "log_spread";
/// Weights of a file may be so large that sums of them are no numbers. Environments cut far below this.
float as_number(float found) {
  constexpr float kFarthest = 1e6;
  return std::isnan(found) ? 0.0F : std::clamp(found, -kFarthest, kFarthest);
}

int head_of(const NetworkShape& shape, const char* name) {
  for (int h = 0; h < std::ssize(shape.heads); ++h) {
    if (shape.heads[h].name == name) return h;
  }
  return -1;
}

const EnumNames<bool>& squashed_names() {
  static const EnumNames<bool> kNames("squashed", {"no", "yes"});
  return kNames;
}

}  // namespace

double log_density(const float* numbers, const float* means, const float* log_spreads, int count) {
  static const double kHalfLogTwoPi = 0.5 * std::log(2 * std::numbers::pi);
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    const double off = (double{numbers[k]} - means[k]) / std::exp(double{log_spreads[k]});
    sum -= 0.5 * off * off + log_spreads[k] + kHalfLogTwoPi;
  }
  return sum;
}

GaussianPolicy::GaussianPolicy(std::shared_ptr<const Network> network, Eigen::VectorXf log_spread,
                               bool squashed, Execution execution, std::vector<std::string> shared)
    : network_(std::move(network)),
      mean_head_(head_of(network_->shape(), kMeanHead)),
      spread_head_(head_of(network_->shape(), kSpreadHead)),
      log_spread_(std::move(log_spread)),
      squashed_(squashed),
      execution_(execution),
      shared_(std::move(shared)) {
  const NetworkShape& shape = network_->shape();
  if (mean_head_ < 0) refuse_policy(fmt::format("the network has no head '{}'", kMeanHead));
  if (shape.indexed) refuse_policy("the network reads numbers of states; expected features");
  const auto spreads = spread_head_ >= 0 ? shape.heads[spread_head_].outputs : log_spread_.size();
  if (spreads != controls() || (spread_head_ >= 0 && log_spread_.size() > 0))
    refuse_policy(fmt::format("{} spreads for {} numbers of an action", spreads, controls()));
  if (!log_spread_.allFinite()) refuse_policy(fmt::format("'{}' is not finite", kSpreads));
}

void GaussianPolicy::action_probabilities(const Observations& /*observations*/, int /*step*/,
                                          Eigen::Ref<Matrix> /*probabilities*/) const {
  throw std::logic_error("action_probabilities: actions that are real numbers have none");
}

void GaussianPolicy::act(const Observations& observations, int /*step*/, std::span<Rng* const> streams,
                         ActionBatch& actions) const {
  const int size = observations.size(), count = controls();
  if (observations.are_indices()) throw std::logic_error("act: the policy sees features, not states");
  if (std::ssize(streams) != size || actions.values.cols() < size || actions.values.rows() != count)
    throw std::logic_error(fmt::format("act: {} streams and room for {} actions of {} numbers",
                                       streams.size(), actions.values.cols(), actions.values.rows()));
  Network network(network_->shape(), std::max(1, std::min(size, kBatch)));
  network.parameters() = network_->parameters();
  for (int first = 0; first < size; first += kBatch) {
    const int part = std::min(kBatch, size - first);
    network.forward(observations.values().middleCols(first, part));
    const auto means = network.output(mean_head_);
    for (int i = 0; i < part; ++i) {
      for (int k = 0; k < count; ++k) {
        float number = means(k, i);
        if (execution_ == Execution::stochastic) {
          const float log_spread = spread_head_ < 0 ? log_spread_[k] : network.output(spread_head_)(k, i);
          const float spread = std::exp(std::clamp(log_spread, kLeastLogSpread, kMostLogSpread));
          number += spread * static_cast<float>(streams[first + i]->normal());
        }
        actions.values(k, first + i) = as_number(squashed_ ? std::tanh(number) : number);
      }
    }
  }
}

void GaussianPolicy::check_fits(const World& world) const {
  if (world.controls == 0)
    refuse_policy("its actions are real numbers; expected numbered ones, as the world has");
  if (world.controls != controls())
    refuse_policy(
        fmt::format("an action is {} numbers; expected {}, as the world has", controls(), world.controls));
  if (world.features != network_->shape().inputs)
    refuse_policy(fmt::format("sees {} features; expected {}, as the world has", network_->shape().inputs,
                              world.features));
}

std::vector<Tensor> GaussianPolicy::arrays() const {
  std::vector<Tensor> arrays = network_->tensors();
  if (spread_head_ < 0) {
    const auto bytes = std::as_bytes(std::span(log_spread_.data(), static_cast<std::size_t>(controls())));
    arrays.push_back({kSpreads, "F32", {controls()}, {bytes.begin(), bytes.end()}});
  }
  return arrays;
}

std::map<std::string, std::string> GaussianPolicy::metadata() const {
  std::map<std::string, std::string> result = c2rl::metadata(network_->shape());
  result["squashed"] = squashed_names().of(squashed_);
  result["execution"] = execution_names().of(execution_);
  return result;
}

std::shared_ptr<const GaussianPolicy> GaussianPolicy::from_file(
    const std::map<std::string, std::string>& metadata, std::span<const Tensor> arrays) {
  std::vector<float> spreads;
  const std::vector<Tensor> of_network = arrays_without(arrays, kSpreads, "F32", spreads);
  auto network = std::make_shared<Network>(shape_from(metadata, of_network), 1);
  network->load(of_network);
  return std::make_shared<GaussianPolicy>(
      network, Eigen::Map<const Eigen::VectorXf>(spreads.data(), std::ssize(spreads)),
      squashed_names().parse(metadata_entry(metadata, "squashed")),
      execution_names().parse(metadata_entry(metadata, "execution")), shared_arrays(metadata));
}

PolicyKind gaussian_policy_kind() {
  PolicyKind kind;
  kind.name = GaussianPolicy::kKind;
  kind.summary = "normal real numbers around what a network says of what is seen";
  kind.load = [](const Safetensors& content) {
    return GaussianPolicy::from_file(content.metadata, content.tensors);
  };
  return kind;
}

}  // namespace c2rl
