#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimal_values.h"
#include "c2rl/planning/optimum.h"
#include "c2rl/planning/proof.h"

namespace c2rl {
namespace {

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
                         double longest, const Beginning& start, const Progress& progress) {
  const Progress planning = [&](double part) { pulse(progress, kPlanned * part); };
  OptimalValues values(model, order, planning);
  values.actions = start.actions.empty() ? order.outwards() : start.actions;
  const OptimalValues::Task task{
      .cost = problem.cost, .cost_scale = problem.cost_scale, .cold = start.actions.empty()};
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

}  // namespace c2rl
