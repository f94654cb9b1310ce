#include <algorithm>
#include <cmath>

#include "c2rl/base/error.h"
#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimum.h"

namespace c2rl {
namespace {

/// Sweeps before policy iteration takes over. Policy iteration alone would carry news from the end of an
/// episode one state further in each iteration; sweeps do that much cheaper, but close in on the values only
/// at the discount's rate, which policy iteration does not depend on.
constexpr int kWarmSweeps = 2000;

/// Policy iteration on the states that can be reached, all others being of no interest (and possibly
/// endless).
class Iteration {
 public:
  Iteration(const TabularModel& model, const Pulse& listener)
      : model_(model), listener_(listener), place_(model.states, -1) {
    const std::vector<bool> reached = reachable_states(model);
    for (int s = 0; s < model.states; ++s) {
      if (!reached[s] || model.is_terminal(s)) continue;
      place_[s] = static_cast<std::int32_t>(states_.size());
      states_.push_back(s);
    }
    allowed_.assign(model.choices(), true);
  }

  std::vector<std::int32_t> actions;  // of every state; those that cannot be reached keep what they have

  /// Makes `actions` optimal among the allowed choices, to the tie tolerance. Each round lowers the value of
  /// some state and raises none, so no policy comes twice; where rounding is larger than the tolerance, the
  /// first round that does not lower the values' sum is the last. What that may lose shows in `residual`.
  template <typename Cost>
  void minimise(Cost cost, double cost_scale) {
    evaluate(cost);
    while (improve(cost, cost_scale)) {
      pulse(listener_);
      const Vector before = values_;
      evaluate(cost);
      if ((values_ - before).sum() >= 0) return;
    }
  }

  /// Keeps only the choices that are as good as the best one.
  template <typename Cost>
  void keep_optimal(Cost cost, double cost_scale) {
    for (const int s : states_) {
      double least = kInfinity;
      for_each_allowed(s, [&](int k) { least = std::min(least, choice_value(k, cost)); });
      const double equal = least + tolerance(least, cost_scale);
      for_each_allowed(s, [&](int k) { allowed_[k] = choice_value(k, cost) <= equal; });
    }
  }

  /// Takes these actions wherever they are allowed.
  void take_allowed(const std::vector<std::int32_t>& wanted) {
    for (const int s : states_) {
      if (allowed_[model_.choice_begin[s] + wanted[s]]) actions[s] = wanted[s];
    }
  }

  /// Takes in every state the allowed choice with the smallest preference, or the first.
  void take_preferred(const std::vector<std::uint32_t>& preference) {
    for (const int s : states_) {
      int chosen = -1;
      for_each_allowed(s, [&](int k) {
        if (chosen < 0 || (!preference.empty() && preference[k] < preference[chosen])) chosen = k;
      });
      actions[s] = chosen - model_.choice_begin[s];
    }
  }

  /// The largest amount by which one Bellman step improves on the values, rounding included: whatever the
  /// values are, no policy's are smaller by more than this times the expected number of its steps.
  template <typename Cost>
  double residual(Cost cost) const {
    double largest = 0;
    for (const int s : states_) {
      for (int k = model_.choice_begin[s]; k < model_.choice_begin[s + 1]; ++k) {
        double size = std::abs(cost(k)) + std::abs(value(s));
        for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
          size += model_.probability[e] * std::abs(value(model_.next[e]));
        }
        const int terms = model_.transition_begin[k + 1] - model_.transition_begin[k] + 3;
        largest = std::max(largest, value(s) - choice_value(k, cost) + kEpsilon * terms * size);
      }
    }
    return largest;
  }

  double start_value() const {
    double sum = 0;
    for (const int s : states_) sum += model_.start[s] * value(s);
    return sum;
  }
  double largest_value() const { return values_.size() == 0 ? 0.0 : values_.cwiseAbs().maxCoeff(); }

 private:
  static double tolerance(double value, double cost_scale) {
    return kTieTolerance * (std::abs(value) + cost_scale);
  }

  template <typename Visit>
  void for_each_allowed(int state, Visit visit) const {
    for (int k = model_.choice_begin[state]; k < model_.choice_begin[state + 1]; ++k) {
      if (allowed_[k]) visit(k);
    }
  }

  double value(int state) const { return model_.is_terminal(state) ? 0.0 : values_[place_[state]]; }

  template <typename Cost>
  double choice_value(int k, Cost cost) const {
    double sum = 0;
    for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
      if (model_.probability[e] > 0) sum += model_.probability[e] * value(model_.next[e]);
    }
    return cost(k) + model_.discount * sum;
  }

  template <typename Cost>
  void evaluate(Cost cost) {
    SparseRows transitions;
    Vector costs(std::ssize(states_));
    for (int i = 0; i < std::ssize(states_); ++i) {
      const int k = model_.choice_begin[states_[i]] + actions[states_[i]];
      costs[i] = cost(k);
      for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
        if (model_.probability[e] == 0 || model_.is_terminal(model_.next[e])) continue;
        transitions.column.push_back(place_[model_.next[e]]);
        transitions.value.push_back(model_.discount * model_.probability[e]);
      }
      transitions.begin.push_back(static_cast<std::int32_t>(transitions.column.size()));
    }
    values_ = solve_fixed_point(transitions, costs, listener_);
  }

  /// Moves every state to a better allowed action where one is better by more than the tolerance. Each move
  /// lowers the value of some state and raises none, so no policy comes twice.
  template <typename Cost>
  bool improve(Cost cost, double cost_scale) {
    bool improved = false;
    for (const int s : states_) {
      double least = value(s) - tolerance(value(s), cost_scale);
      for_each_allowed(s, [&](int k) {
        const double found = choice_value(k, cost);
        if (found >= least) return;
        least = found;
        actions[s] = k - model_.choice_begin[s];
        improved = true;
      });
    }
    return improved;
  }

  const TabularModel& model_;
  const Pulse& listener_;
  std::vector<int> states_;          // reachable, not terminal
  std::vector<std::int32_t> place_;  // of a state in states_
  std::vector<bool> allowed_;        // choices
  Vector values_;
};

}  // namespace

double longest_episode(const TabularModel& model, const Pulse& listener) {
  if (model.discount < 1) return 1 / (1 - model.discount);
  const auto cost = [](int) { return -1.0; };
  Iteration iteration(model, listener);
  iteration.actions.assign(model.states, 0);
  iteration.minimise(cost, 1.0);
  // n >= 1/2 + P n for every choice, with n >= 0, makes 2 n an upper bound.
  if (iteration.residual(cost) > 0.5) {
    throw InputError({.field = "horizon"},
                     "some policy's episodes end, but so late that their length cannot be computed; expected "
                     "a horizon, or a discount below 1");
  }
  return 2 * iteration.largest_value();
}

Optimum policy_iteration(const TabularModel& model, const BlockGraph& graph, const ScalarProblem& problem,
                         double longest, const Progress& progress) {
  ValueSweeps sweeps(model, graph, problem);
  constexpr double kSwept = 0.5;
  sweeps.run(std::min(model.states, kWarmSweeps), [&](double part) { pulse(progress, kSwept * part); });
  const Pulse iterating = [&] { pulse(progress, kSwept); };
  Optimum result;
  result.sweeps = sweeps.sweeps();
  Iteration iteration(model, iterating);
  iteration.actions = sweeps.actions();
  const auto cost = [&](int k) { return problem.cost[k]; };
  iteration.minimise(cost, problem.cost_scale);
  result.lower_bound = iteration.start_value() - iteration.residual(cost) * longest;

  iteration.keep_optimal(cost, problem.cost_scale);
  if (problem.step_cost == 0) {
    iteration.take_preferred(problem.preference);
  } else {
    iteration.take_allowed(sweeps.actions());  // near the second optimum, too
    iteration.minimise([&](int) { return problem.step_cost; }, 1.0);
  }
  result.policy = TabularPolicy::deterministic(iteration.actions);
  result.evaluation = evaluate(model, *result.policy, [&] { pulse(progress, kPlanned); });
  return result;
}

}  // namespace c2rl
