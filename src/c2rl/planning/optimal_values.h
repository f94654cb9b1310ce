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
/// What a sweep proves. Let h be at least 1 and, for every choice, 1 more than the discounted h that it leads
/// to: expected steps of the longest episode. If a sweep in place, which is monotone, lowers no value V by more
/// than d, then sweeping V - d h raises everything, so the optimal values are at least V - d h; likewise they
/// are at most V + u h if it raises none by more than u. A choice that is worse than the best by more than
/// (d + u) h is never optimal, and not looked at again.
class OptimalValues {
 public:
  /// `longest` bounds h. Keeps references.
  OptimalValues(const TabularModel& model, const StateOrder& order, double longest, const Progress& progress);

  /// What to minimise: the expected sum of these, one per choice, until no sweep moves a value by more than
  /// `goal`, or by more than rounding does. Only choices marked in `allowed` are taken; empty: all. Starts from
  /// the policy `actions`, but where that is nobody's choice (`cold`) and a component has no way out, from
  /// nothing.
  struct Task {
    std::span<const double> cost;
    double cost_scale = 0;  // the largest of them, absolutely
    std::span<const std::uint8_t> allowed = {};
    bool cold = true;
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
  Sweep improve(const Task& task, std::span<const std::int32_t> members);
  void drop(std::span<const std::int32_t> members, double gap);
  double append_row(const Task& task, int state, SparseRows& rows) const;
  void update_equations(const Task& task, std::span<const std::int32_t> members);
  void evaluate(const Task& task, std::span<const std::int32_t> members, double goal);
  double rounding(const Task& task, double largest) const;

  const TabularModel& model_;
  const StateOrder& order_;
  const double longest_;
  const Progress& progress_;
  std::vector<double> values_;              // of every state
  std::vector<std::uint8_t> kept_;          // choices that may be optimal
  std::vector<float> gap_;                  // of every choice, to the best one of its state in the last sweep
  std::vector<std::int32_t> place_;         // of a state in its component
  std::optional<Relaxation> equations_;     // of the component at hand
  std::vector<std::int32_t> in_equations_;  // its members' actions there
  double moved_ = 0;                        // by the last sweep of any component that is solved
  int sweeps_ = 0;
  double done_ = 0;  // part of minimise(), about
};

}  // namespace c2rl
