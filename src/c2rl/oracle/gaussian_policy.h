#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "c2rl/mdp/policy.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/network_policy.h"

namespace c2rl {

/// A policy whose actions are real numbers: independent normal ones around what a network's head "policy" says of
/// the features seen. Their spreads are the same everywhere, or another head says the logarithms. Squashed ones
/// go through tanh, which keeps them within -1 and 1; others are cut there by the environment.
class GaussianPolicy final : public Policy {
 public:
  static constexpr const char* kMeanHead = "policy";
  static constexpr const char* kSpreadHead = "log_spread";

  /// Where the network has a head for them, there are no spreads of their own.
  GaussianPolicy(std::shared_ptr<const Network> network, Eigen::VectorXf log_spread, bool squashed,
                 Execution execution, std::vector<std::string> shared = {});
  /// The inverse of `metadata` and `arrays`; an InputError says what does not fit.
  static std::shared_ptr<const GaussianPolicy> from_file(const std::map<std::string, std::string>& metadata,
                                                         std::span<const Tensor> arrays);

  static constexpr const char* kKind = "gaussian";
  std::string kind() const override { return kKind; }
  bool is_stationary() const override { return true; }
  /// Greedy ones do what is most likely.
  bool is_deterministic() const override { return execution_ == Execution::greedy; }
  void action_probabilities(const Observations& observations, int step,
                            Eigen::Ref<Matrix> probabilities) const override;
  void act(const Observations& observations, int step, std::span<Rng* const> streams,
           ActionBatch& actions) const override;
  void check_fits(const World& world) const override;
  std::vector<Tensor> arrays() const override;
  std::map<std::string, std::string> metadata() const override;
  std::vector<std::string> shared() const override { return shared_; }

  const Network& network() const { return *network_; }
  const Eigen::VectorXf& log_spread() const { return log_spread_; }
  int controls() const { return network_->shape().heads[mean_head_].outputs; }

 private:
  std::shared_ptr<const Network> network_;
  int mean_head_ = -1, spread_head_ = -1;
  Eigen::VectorXf log_spread_;
  bool squashed_;
  Execution execution_;
  std::vector<std::string> shared_;
};

/// Spreads are kept between these, by their logarithms, so that their squares and inverses are numbers.
inline constexpr float kLeastLogSpread = -20, kMostLogSpread = 2;

/// The logarithm of the density of independent normal numbers.
double log_density(const float* numbers, const float* means, const float* log_spreads, int count);

}  // namespace c2rl
