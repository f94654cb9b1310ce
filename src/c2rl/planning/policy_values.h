#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/mdp/relaxation.h"
#include "c2rl/planning/policy_equations.h"
#include "c2rl/planning/refinement.h"
#include "c2rl/planning/state_order.h"

namespace c2rl {

/// What a stationary policy measures from every state that the model can reach, all measurements in the same sweeps. The
/// model must discount and have no end.
class PolicyValues {
 public:
  /// Keeps references. `expected` is what choices measure; `actions` has one for each state. `refinement` is of what is measured
  /// in all states, in units, or there is none; whenever values are solved for, its equations must be of these actions.
  PolicyValues(const TabularModel& model, const StateOrder& order, const Matrix& expected,
               const std::vector<std::int32_t>& actions, Refinement* refinement);

  /// Until no equation is off by more than rounding, from wherever the refinement is.
  void solve(const Pulse& listener = {});

  /// Along a direction, of every state; 0 of those that cannot be reached.
  std::vector<double> along(const Vector& direction) const;
  /// By how much an equation of these may be off, at most, rounding included; nothing where that was not seen while solving.
  std::optional<double> off_along(const Vector& direction) const;
  /// From the start.
  Evaluation evaluation() const;
  /// How much more than this is measured from each state, in single precision; empty where that has no such numbers.
  Eigen::MatrixXf beyond(const Vector& measurement) const;
  int sweeps() const { return sweeps_; }

 private:
  const Matrix& values() const { return residual_ ? refinement_->x() : values_; }
  int choice(int state) const { return model_.choice_begin[state] + actions_[state]; }
  template <typename Visit>
  void for_each_entry(int state, Visit visit) const;
  auto cost(int state) const;
  void append_row(int state, SparseRows& rows) const;
  void settle_single(int state);
  void settle(std::span<const std::int32_t> members, const Pulse& listener);
  template <int kDim>
  double largest_residual() const;

  const TabularModel& model_;
  const StateOrder& order_;
  const Matrix& expected_;
  const std::vector<std::int32_t>& actions_;
  const Vector unit_, per_unit_;
  Refinement* refinement_;
  std::optional<double> residual_;  // what an equation is off by, at most, where it has come to its end
  Matrix values_;                   // else
  std::vector<std::int32_t>
      place_;  // of states in the component at hand; -1: in none. Empty: never asked for
  int sweeps_ = 0;
};

}  // namespace c2rl
