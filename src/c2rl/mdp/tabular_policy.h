#pragma once

#include <span>
#include <string>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/policy.h"

namespace c2rl {

/// When a state's behaviour changes: state s has the runs begin[s] .. begin[s + 1] - 1, the first of them
/// from step 0 on, each until the next one's first step. Both empty: one run a state, that is, a stationary
/// policy.
struct PolicyRuns {
  std::vector<std::int32_t> begin;
  std::vector<std::int32_t> first_step;
};

/// A policy written out state by state. What does not change over time is stored once: memory grows with the
/// number of changes, not with the horizon.
class TabularPolicy final : public Policy {
 public:
  static constexpr const char* kKind = "tabular";

  /// One action per run. Actions of terminal states are never read. `values`: see below.
  static std::shared_ptr<const TabularPolicy> deterministic(std::span<const std::int32_t> actions,
                                                            PolicyRuns runs = {},
                                                            Eigen::MatrixXf values = {});
  /// Run r draws its action from probabilities[row_begin[r]] .. probabilities[row_begin[r + 1] - 1]; rows of
  /// terminal states may be empty, every other sums to 1.
  static std::shared_ptr<const TabularPolicy> randomized(std::vector<std::int32_t> row_begin,
                                                         std::vector<double> probabilities,
                                                         PolicyRuns runs = {});
  /// The inverse of `arrays`; an InputError says what does not fit.
  static std::shared_ptr<const TabularPolicy> from_arrays(std::span<const Tensor> arrays);

  std::string kind() const override { return kKind; }
  bool is_stationary() const override { return runs_.begin.empty(); }
  bool is_deterministic() const override { return deterministic_; }
  void action_probabilities(const Observations& observations, int step,
                            Eigen::Ref<Matrix> probabilities) const override;
  void check_fits(const World& world) const override;
  std::vector<Tensor> arrays() const override;

  int states() const;
  /// Runs of all states together: what is stored.
  int runs() const;
  /// It was made of actions, not of probabilities.
  bool has_actions() const { return row_begin_.empty(); }
  /// The action taken; only of a policy that was made of actions.
  int action(int state, int step) const { return run_action(run(state, step)); }

  /// A column for each state: how much more it measures from there on than from where episodes start, in single
  /// precision. Whoever computed that says so, for planning that goes on from this policy, and nothing is claimed of it;
  /// empty elsewhere.
  const Eigen::MatrixXf& values() const { return values_; }

  /// For going back in time: the last run of a state; the one at an earlier step, from a later one; its first step, and
  /// its action.
  int last_run(int state) const { return is_stationary() ? state : runs_.begin[state + 1] - 1; }
  int run_at(int run, int step) const {
    if (is_stationary()) return run;
    while (runs_.first_step[run] > step) --run;
    return run;
  }
  int run_start(int run) const { return is_stationary() ? 0 : runs_.first_step[run]; }
  int run_action(int run) const { return wide_actions_.empty() ? actions_[run] : wide_actions_[run]; }

 private:
  TabularPolicy() = default;

  void check_runs() const;
  int run(int state, int step) const;
  int actions_of(int run) const;  // that it knows of

  PolicyRuns runs_;
  bool deterministic_ = true;
  std::vector<std::uint8_t> actions_;       // one per run where all are below 256 ...
  std::vector<std::int32_t> wide_actions_;  // ... else here
  std::vector<std::int32_t> row_begin_;     // of randomised policies
  std::vector<double> probabilities_;
  Eigen::MatrixXf values_;
};

}  // namespace c2rl
