#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/mdp/relaxation.h"
#include "c2rl/planning/state_order.h"

namespace c2rl {

/// The least expected costs of a model without a horizon, and actions that have them, by policy iteration that
/// is inexact until it matters: a Bellman sweep in place finds better actions, a few sweeps of these alone, a
/// fraction of its cost, make most of what is to be had of them. Component by component, in a StateOrder.
///
/// Most states need no look at all their choices in most sweeps. Let the others have been worse than the best one by g at
/// least, when values were V. As long as V + D holds no two numbers in D that differ by g / discount, they still are: the
/// difference of two expectations of D is at most that. How far values have come apart is known from every sweep.
class OptimalValues {
 public:
  /// Keeps references.
  OptimalValues(const TabularModel& model, const StateOrder& order, const Progress& progress);

  /// What to minimise: the expected sum of these, one per choice, until no sweep moves a value by more than
  /// `goal`, or by more than rounding does. Only choices marked in `allowed` are taken; empty: all. Starts from
  /// the policy `actions`, whose values are `values` where they are known; but where that is nobody's choice (`cold`) and
  /// a component has no way out, from nothing.
  struct Task {
    std::span<const double> cost;
    double cost_scale = 0;  // the largest of them, absolutely
    std::span<const std::uint8_t> allowed = {};
    bool cold = true;
    std::span<const double> values = {};
    double goal = 0;
  };
  void minimise(const Task& task);

  std::vector<std::int32_t> actions;  // of every state; those that cannot be reached keep what they have
  const std::vector<double>& values() const { return values_; }
  int sweeps() const { return sweeps_; }

  double start_value() const;
  double largest_value() const;

 private:
  struct Sweep {
    double down = 0, up = 0;  // the largest moves of values
    double largest = 0;       // value, absolutely
    double sum = 0;           // of all values
    bool changed = false;     // some action did
  };

  void solve(const Task& task, int component);
  void solve_single(const Task& task, int state);
  template <bool kBlank>
  Sweep improve(const Task& task, int component);
  int choice(int state) const { return model_.choice_begin[state] + actions[state]; }
  void append_row(int state, SparseRows& rows) const;
  double from_others(int state) const;
  void update_equations(std::span<const std::int32_t> members);
  void evaluate(const Task& task, int component, double goal);
  double rounding(const Task& task, double largest) const;

  const TabularModel& model_;
  const StateOrder& order_;
  const StateOrder::Rows rows_;
  const Progress& progress_;
  std::vector<double> values_;  // of every state
  double apart_ = 0;            // how far values have come apart, discounted, in all sweeps so far
  std::vector<float> look_at_;  // of every state: its action is the best as long as `apart_` is below this
  std::vector<std::int32_t> place_;         // of a state in its component
  std::optional<Relaxation> equations_;     // of the component at hand
  Matrix b_, x_;                            // what they begin with, and their unknowns
  std::vector<std::int32_t> in_equations_;  // its members' actions there
  int sweeps_ = 0;
  double done_ = 0;  // part of minimise(), about
};

}  // namespace c2rl
