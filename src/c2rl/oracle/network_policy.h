#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "c2rl/base/enum_names.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/world.h"
#include "c2rl/nn/network.h"

namespace c2rl {

/// How a network's scores become actions.
enum class Execution {
  stochastic,  // drawn with the softmax of the scores
  greedy,      // the one with the highest score; the first of several
};
const EnumNames<Execution>& execution_names();

/// The softmax of the first `actions` scores; the probabilities of the others are zero.
void softmax(const float* scores, int actions, std::span<double> probabilities);

/// Whose actions there are how many of: a number per state, or for all alike.
class ActionCounts {
 public:
  explicit ActionCounts(int actions) : actions_(actions) {}
  explicit ActionCounts(const World& world);
  /// A number per state; for terminal states what it is does not matter.
  ActionCounts(int actions, std::vector<std::int32_t> per_state);

  int most() const { return actions_; }
  int of(int state) const { return per_state_.empty() ? actions_ : per_state_[state]; }
  const std::vector<std::int32_t>& per_state() const { return per_state_; }

 private:
  int actions_;
  std::vector<std::int32_t> per_state_;  // empty where all states have `actions_`
};

/// A policy that one of a network's heads scores the actions of. The other heads are kept, so that training
/// can go on from it.
class NetworkPolicy final : public Policy {
 public:
  NetworkPolicy(std::shared_ptr<const Network> network, const std::string& head, Execution execution,
                ActionCounts actions, std::vector<std::string> shared = {});
  /// The inverse of `metadata` and `arrays`; an InputError says what does not fit.
  static std::shared_ptr<const NetworkPolicy> from_file(const std::map<std::string, std::string>& metadata,
                                                        std::span<const Tensor> arrays);

  static constexpr const char* kKind = "network";
  std::string kind() const override { return kKind; }
  bool is_stationary() const override { return true; }
  bool is_deterministic() const override { return execution_ == Execution::greedy; }
  void action_probabilities(const Observations& observations, int step,
                            Eigen::Ref<Matrix> probabilities) const override;
  void check_fits(const World& world) const override;
  std::vector<Tensor> arrays() const override;
  std::map<std::string, std::string> metadata() const override;
  std::vector<std::string> shared() const override { return shared_; }

  const Network& network() const { return *network_; }
  Execution execution() const { return execution_; }

 private:
  void fill_table() const;
  void distribute(const float* scores, int state, Eigen::Ref<Vector> probabilities) const;

  std::shared_ptr<const Network> network_;
  int head_ = -1;
  Execution execution_;
  ActionCounts actions_;
  std::vector<std::string> shared_;
  /// Where states are numbered, all distributions are computed once, at the first use.
  mutable std::once_flag filled_;
  mutable Matrix table_;
};

}  // namespace c2rl
