#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/planning/sliced_rows.h"
#include "c2rl/planning/state_order.h"

namespace c2rl {

/// The size of the largest number in each row.
Vector largest_by_row(const Matrix& numbers);

/// The largest power of two below all that is measured, absolutely, of each measurement; 1 where that is nothing.
Vector units_of(const Matrix& expected);

/// x = b + discount P x, where P is where a stationary policy leads: what it costs, or all that it measures, from every state.
/// For models that discount and have no end.
///
/// Sweeps are in single precision and go block by block: rows of a block see what blocks before it have become in the same
/// sweep. That takes hardly more sweeps than if every row saw all rows before it, and any number of threads can share a
/// block: the result is the same to the bit.
class PolicyEquations {
 public:
  /// Keeps references; `expected` is what choices measure. The policy is nobody's: call take() for every state. It may be used
  /// for any number of policies, one after the other: what states have in common with the one before costs nothing.
  PolicyEquations(const TabularModel& model, const Matrix& expected);

  /// Where all states are one component, and choices do not differ so much in length that rows side by side would be mostly
  /// empty.
  static bool usable(const TabularModel& model, const StateOrder& order);

  void take(int state, int action);
  int action(int state) const { return action_[state]; }
  /// Of the measurements: powers of two, which cost no rounding.
  const Vector& units() const { return unit_; }
  /// What the policy measures at once in each state, a column each, in these units.
  const Matrix& measured() const { return measured_; }

  /// Numbers of an array that sweep() takes, for so many systems.
  std::size_t room(int systems) const {
    return std::size_t{SlicedRows::kLanes} * static_cast<std::size_t>(rows_.slices() * systems);
  }

  /// A sweep of x = b - left + discount P x, with `systems` numbers of b and x for each state, side by side, and one of `left` for
  /// all: what is common to all of x, which is large, takes longest, and decides nothing, is left out as it grows. Once x stays
  /// the same, x + left / (1 - discount) solves the equations.
  void sweep(int systems, const float* b, float* x, float* left);

  /// visit(a state that the action leads to, its probability, discounted), but for what is 0.
  template <typename Visit>
  void for_each_entry(int state, Visit visit) const {
    rows_.for_each_entry(state, visit);
  }
  const SlicedRows& rows() const { return rows_; }
  double discount() const { return model_.discount; }
  /// Entries of the longest choice.
  int branching() const { return branching_; }
  void count_sweep() { ++sweeps_; }
  int sweeps() const { return sweeps_; }

 private:
  template <int kSystems>
  void sweep_systems(int systems, const float* b, float* x, float* left);
  void weigh(int slice, int systems, const float* b, const float* left, float* y) const;

  const TabularModel& model_;
  const Matrix& expected_;
  const Vector unit_, per_unit_;
  std::vector<std::int32_t> action_;
  Matrix measured_;
  SlicedRows rows_;
  /// Of a state: one over the probability that it does not come back to itself at once, discounted.
  std::vector<float> weight_;
  double mean_weight_ = 1;
  std::atomic<bool> weights_changed_ = true;  // since then; states may be taken on several threads
  std::vector<std::uint8_t> comes_back_;      // of a slice: some state of it may
  std::vector<float> block_;                  // what a block becomes
  std::vector<float> moves_;                  // of a sweep
  int slices_per_block_;
  int branching_ = 0;  // entries of the longest choice
  int sweeps_ = 0;
};

}  // namespace c2rl
