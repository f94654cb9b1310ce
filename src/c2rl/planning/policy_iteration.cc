#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimal_values.h"
#include "c2rl/planning/optimum.h"
#include "c2rl/planning/policy_values.h"
#include "c2rl/planning/rough_values.h"

namespace c2rl {
namespace {

/// What one look at every choice says of values.
struct Proof {
  /// The largest amount by which one Bellman step improves on the values, rounding included: whatever the
  /// values are, no policy's are smaller by more than this times the expected number of its steps.
  double residual = 0;
  std::vector<std::uint8_t> optimal;  // choices that are as good as the best one
  bool tied = false;                  // some state has several of them
};

/// Of some states alone; `optimal` is one for all.
Proof prove(const TabularModel& model, int most_actions, std::span<const std::int32_t> states,
            const std::vector<double>& value, const OptimalValues::Task& task,
            std::vector<std::uint8_t>& optimal) {
  // Transitions are read in order, but while values are gathered the processor does not look far enough ahead by itself.
  constexpr int kAhead = 256, kPerLine = 8;
  Proof proof;
  std::vector<double> options(most_actions);
  for (const int s : states) {
    const int first = model.choice_begin[s], last = model.choice_begin[s + 1];
    double least = kInfinity;
    for (int e = model.transition_begin[first]; e < model.transition_begin[last]; e += kPerLine) {
      __builtin_prefetch(model.next.data() + e + kAhead);
      __builtin_prefetch(model.probability.data() + e + kAhead);
    }
    for (int k = first; k < last; ++k) {
      options[k - first] = kInfinity;
      if (!task.allowed.empty() && !task.allowed[k]) continue;
      double sum = 0, size = std::abs(task.cost[k]) + std::abs(value[s]);
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
        const double term = model.probability[e] * value[model.next[e]];
        sum += term;
        size += std::abs(term);
      }
      options[k - first] = task.cost[k] + model.discount * sum;
      const int terms = model.transition_begin[k + 1] - model.transition_begin[k] + 3;
      const double improves = value[s] - options[k - first] + kEpsilon * terms * size;
      // Not a number: nothing is known.
      proof.residual = improves <= proof.residual ? proof.residual
                       : std::isnan(improves)     ? kInfinity
                                                  : improves;
      least = std::min(least, options[k - first]);
    }
    const double equal = least + kTieTolerance * (std::abs(least) + task.cost_scale);
    int count = 0;
    for (int k = first; k < last; ++k) {
      optimal[k] = options[k - first] <= equal;
      count += optimal[k];
    }
    proof.tied |= count > 1;
  }
  return proof;
}

/// Of the choices that are allowed; empty: all.
Proof prove(const TabularModel& model, const StateOrder& order, const std::vector<double>& value,
            const OptimalValues::Task& task) {
  constexpr int kGrain = 4096;  // states
  Proof proof;
  std::mutex mutex;
  std::vector<std::uint8_t> optimal(model.choices(), 0);
  for_ranges_parallel(order.size(), kGrain, [&](int begin, int end) {
    const Proof part =
        prove(model, order.most_actions(), order.states().subspan(begin, end - begin), value, task, optimal);
    const std::lock_guard lock(mutex);
    proof.residual = std::max(proof.residual, part.residual);
    proof.tied |= part.tied;
  });
  proof.optimal = std::move(optimal);
  return proof;
}

/// In every state the optimal choice with the smallest preference, or the first.
void take_preferred(const TabularModel& model, const StateOrder& order, const Proof& proof,
                    const std::vector<std::uint32_t>& preference, std::vector<std::int32_t>& actions) {
  for (const int s : order.states()) {
    int chosen = -1;
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
      if (!proof.optimal[k]) continue;
      if (chosen < 0 || (!preference.empty() && preference[k] < preference[chosen])) chosen = k;
    }
    if (chosen >= 0) actions[s] = chosen - model.choice_begin[s];
  }
}

/// Where every step of every policy may be the last: with a chance of q at least, no episode is expected to be longer than
/// 1 / q, and sweeps from that number bring it down to what is so, never below. Nothing where that takes many.
std::optional<double> longest_from_above(const TabularModel& model, const StateOrder& order,
                                         const Pulse& listener) {
  constexpr int kSweeps = 100;
  constexpr double kWorthwhile = 0.95, kRounding = 1 + 1e-9;
  double least = 1;
  for (const int s : order.states()) {
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
      double ends = 0;
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        ends += model.is_terminal(model.next[e]) ? model.probability[e] : 0.0;
      least = std::min(least, ends);
    }
  }
  if (least == 0) return std::nullopt;
  std::vector<double> steps(model.states, 0.0);
  for (const int s : order.states()) steps[s] = kRounding / least;
  for (double longest = kRounding / least, sweep = 0; sweep < kSweeps; ++sweep) {
    pulse(listener);
    double most = 0;
    for (const int s : order.states()) {
      double of_state = 0;
      for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
        double sum = 1;
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
          sum += model.probability[e] * steps[model.next[e]];
        of_state = std::max(of_state, sum);
      }
      steps[s] = std::min(steps[s], of_state);
      most = std::max(most, steps[s]);
    }
    if (most > kWorthwhile * longest) return most * kRounding;
    longest = most;
  }
  return std::nullopt;
}

/// But for rounding, and something.
bool costs_alike(const std::vector<double>& cost) {
  constexpr double kRoundings = 16;
  const auto [least, most] = std::ranges::minmax(cost);
  return least != 0 && most - least <= kRoundings * kEpsilon * std::abs(least);
}

/// The first of the best, given the value of every state.
template <typename ValueAt>
std::int32_t best_action(const TabularModel& model, int state, const OptimalValues::Task& task,
                         ValueAt value_at) {
  double least = kInfinity;
  std::int32_t best = 0;
  for (int k = model.choice_begin[state]; k < model.choice_begin[state + 1]; ++k) {
    double sum = 0;
    for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
      sum += model.probability[e] * value_at(model.next[e]);
    const double option = task.cost[k] + model.discount * sum;
    if (option >= least) continue;
    least = option;
    best = k - model.choice_begin[state];
  }
  return best;
}

/// The best actions but for few, by rough values and a second look where these leave doubt; the values go on from there.
/// Returns whether that came to an end.
bool act_roughly(const TabularModel& model, const StateOrder& order, const ScalarProblem& problem,
                 const OptimalValues::Task& task, const Vector& direction, PolicyEquations& equations,
                 std::vector<std::int32_t>& actions, PolicyValues& values, const Progress& progress) {
  if (problem.cost_scale == 0) return false;  // nothing costs anything
  // All measurements are swept at once where they are few, and the cost is no small difference of large ones.
  constexpr int kFew = 4;
  constexpr double kLarge = 8;
  Vector weight = direction.cwiseProduct(equations.units()) / problem.cost_scale;
  const bool all = weight.size() <= kFew && weight.lpNorm<1>() <= kLarge;
  if (!all) weight.resize(0);
  RoughValues rough(model, order, problem, weight, equations, progress);
  if (!rough.minimise(actions, task.cold)) return false;
  // What single precision could not tell: costs are known to a millionth before, and to 1e-8 or better after.
  constexpr int kSweeps = 6;
  const Pulse correcting = [&] { pulse(progress, 0.0); };
  Matrix costs;
  Matrix& found = all ? values.values() : costs;
  rough.write_values(found);
  if (all) {
    equations.correct(equations.measured(), found, kSweeps, correcting);
  } else {
    Matrix at_once(1, model.states);
    for (int s = 0; s < model.states; ++s)
      at_once(0, s) = problem.cost[model.choice_begin[s] + actions[s]] / problem.cost_scale;
    equations.correct(at_once, found, kSweeps, correcting);
    weight = Vector::Ones(1);
  }
  weight *= problem.cost_scale;
  for (const int s : rough.doubtful()) {
    actions[s] = best_action(model, s, task, [&](int next) { return weight.dot(found.col(next)); });
    equations.take(s, actions[s]);
  }
  return true;
}

}  // namespace

double longest_episode(const TabularModel& model, const StateOrder& order, const Pulse& listener) {
  if (model.discount < 1) return 1 / (1 - model.discount);
  if (const auto longest = longest_from_above(model, order, listener)) return *longest;
  constexpr double kOff = 0.25;
  const std::vector<double> cost(model.choices(), -1.0);
  const OptimalValues::Task task{.cost = cost, .cost_scale = 1, .goal = kOff};
  const Progress progress = [&](double) { pulse(listener); };
  OptimalValues steps(model, order, progress);
  steps.minimise(task);
  // n >= 1 - off + P n for every choice, with n >= 0, makes n / (1 - off) an upper bound.
  const double off = prove(model, order, steps.values(), task).residual;
  if (!(off <= 0.5)) {
    throw InputError({.field = "horizon"},
                     "some policy's episodes end, but so late that their length cannot be computed; expected "
                     "a horizon, or a discount below 1");
  }
  return steps.largest_value() / (1 - off);
}

Optimum policy_iteration(const TabularModel& model, const StateOrder& order, const ScalarProblem& problem,
                         double longest, const std::vector<std::int32_t>& start, const Progress& progress) {
  const Progress planning = [&](double part) { pulse(progress, kPlanned * part); };
  OptimalValues values(model, order, planning);
  values.actions = start.empty() ? order.outwards() : start;
  const OptimalValues::Task task{
      .cost = problem.cost, .cost_scale = problem.cost_scale, .cold = start.empty()};
  values.minimise(task);
  Optimum result;
  const Proof proof = prove(model, order, values.values(), task);
  result.lower_bound = values.start_value() - proof.residual * longest;
  take_preferred(model, order, proof, problem.preference, values.actions);
  // Without an end, all policies have as many steps; and where all choices cost the same, so have those that cost least.
  const bool steps_differ = (order.ends() || model.discount == 1) && !costs_alike(problem.cost);
  if (problem.step_cost != 0 && proof.tied && steps_differ) {
    const std::vector<double> steps(model.choices(), problem.step_cost);
    const OptimalValues::Task second{.cost = steps, .cost_scale = 1, .allowed = proof.optimal, .cold = false};
    values.minimise(second);
    take_preferred(model, order, prove(model, order, values.values(), second), {}, values.actions);
  }
  result.sweeps = values.sweeps();
  result.policy = TabularPolicy::deterministic(values.actions);
  result.evaluation = evaluate(
      model, *result.policy, [&] { pulse(progress, kPlanned); }, longest);
  return result;
}

Optimum endless_policy_iteration(const TabularModel& model, const StateOrder& order, const Matrix& expected,
                                 const ScalarProblem& problem, const Vector& direction,
                                 PolicyEquations* equations, const std::vector<std::int32_t>& start,
                                 const Progress& progress) {
  // Roundings of a look at a choice, by which it may seem better than it is.
  constexpr double kRoundings = 64;
  const Progress planning = [&](double part) { pulse(progress, kPlanned * part); };
  const Pulse evaluating = [&] { pulse(progress, kPlanned); };
  OptimalValues::Task task{.cost = problem.cost, .cost_scale = problem.cost_scale, .cold = start.empty()};
  std::vector<std::int32_t> actions = start.empty() ? order.outwards() : start;
  const auto take = [&](int s, std::int32_t action) {
    const bool changes = std::exchange(actions[s], action) != action;
    if (equations) equations->take(s, action);
    return changes;
  };
  const auto change_to = [&](const std::vector<std::int32_t>& others) {
    bool changed = false;
    for (const int s : order.states()) changed |= take(s, others[s]);
    return changed;
  };
  int sweeps = equations ? -equations->sweeps() : 0;
  const auto minimise = [&] {
    OptimalValues optimal(model, order, planning);
    optimal.actions = actions;
    optimal.minimise(task);
    sweeps += optimal.sweeps();
    change_to(optimal.actions);
  };
  PolicyValues values(model, order, expected, actions, equations);
  if (!equations ||
      !act_roughly(model, order, problem, task, direction, *equations, actions, values, planning)) {
    // So exactly that hardly an action will be wrong. How exactly the optimum is known is then seen from the values of the
    // answer itself.
    constexpr double kAccurate = 1e-8;
    task.goal = kAccurate * problem.cost_scale;
    minimise();
  }
  std::vector<double> found;
  const auto look = [&] {
    values.solve(evaluating);
    found = values.along(direction);
    return prove(model, order, found, task);
  };
  Proof proof = look();
  double largest = problem.cost_scale;
  for (const double value : found) largest = std::max(largest, std::abs(value));
  if (proof.residual > kRoundings * kEpsilon * (order.branching() + 3) * largest) {
    task.goal = 0;
    task.cold = false;
    task.values = found;
    minimise();
    proof = look();
  }
  if (proof.tied) {
    std::vector<std::int32_t> preferred = actions;
    take_preferred(model, order, proof, problem.preference, preferred);
    if (change_to(preferred)) proof = look();
  }
  double start_value = 0;
  for (const int s : order.states()) start_value += model.start[s] * found[s];
  Optimum result;
  result.lower_bound = start_value - proof.residual / (1 - model.discount);
  result.sweeps = sweeps + values.sweeps() + (equations ? equations->sweeps() : 0);
  result.policy = TabularPolicy::deterministic(actions);
  result.evaluation = values.evaluation();
  return result;
}

}  // namespace c2rl
