#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimal_values.h"
#include "c2rl/planning/optimum.h"
#include "c2rl/planning/policy_values.h"
#include "c2rl/planning/proof.h"
#include "c2rl/planning/rough_values.h"

namespace c2rl {
namespace {

/// So many measurements are swept at once, which takes hardly longer than the cost alone; and what that leaves behind of every
/// state, for calls to come, is no more than a few numbers.
constexpr int kFew = 4;

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
/// Nothing where that came to no end.
std::optional<RoughValues> act_roughly(const TabularModel& model, const StateOrder& order,
                                       const ScalarProblem& problem, const OptimalValues::Task& task,
                                       const Vector& direction, const Eigen::MatrixXf& of_start,
                                       Refinement& measured, std::vector<std::int32_t>& actions,
                                       const Progress& progress) {
  std::optional<RoughValues> rough;
  if (problem.cost_scale == 0) return rough;  // nothing costs anything
  PolicyEquations& equations = measured.equations();
  // All measurements are swept at once where they are few, and the cost is no small difference of large ones.
  constexpr double kLarge = 8;
  Vector weight = direction.cwiseProduct(equations.units()) / problem.cost_scale;
  const bool all = weight.size() <= kFew && weight.lpNorm<1>() <= kLarge;
  if (!all) weight.resize(0);
  Eigen::MatrixXf ahead;
  if (all && of_start.size() > 0) {
    ahead = equations.units().cwiseInverse().cast<float>().asDiagonal() * of_start;
    // In units less than two are measured at once, under any policy: no such differences are larger.
    constexpr double kAtOnce = 2;
    const double most = 2 * kAtOnce / (1 - model.discount);
    if (!(static_cast<double>(ahead.cwiseAbs().maxCoeff()) <= most)) ahead.resize(0, 0);
  }
  Matrix at_once;
  std::optional<Refinement> of_costs;
  if (!all) {
    at_once.setZero(1, model.states);
    of_costs.emplace(equations, at_once);
  }
  Refinement& refinement = all ? measured : *of_costs;
  rough.emplace(model, order, problem, weight, refinement, progress);
  if (!rough->minimise(actions, task.cold, {ahead.data(), static_cast<std::size_t>(ahead.size())}))
    return std::nullopt;
  // What single precision could not tell: costs are known to a millionth before, and to 1e-8 or better after.
  constexpr int kSweeps = 6;
  if (!all) {
    for (int s = 0; s < model.states; ++s)
      at_once(0, s) = problem.cost[model.choice_begin[s] + actions[s]] / problem.cost_scale;
    weight = Vector::Ones(1);
  }
  refinement.add_swept();
  refinement.correct(kSweeps, [&] { pulse(progress, 0.0); });
  weight *= problem.cost_scale;
  const auto value_at = [&](int state) { return weight.dot(refinement.x().col(state)); };
  for (const int s : rough->doubtful()) {
    actions[s] = best_action(model, s, task, value_at);
    (all ? refinement : measured).take(s, actions[s]);
  }
  return rough;
}

}  // namespace

Optimum endless_policy_iteration(const TabularModel& model, const StateOrder& order, const Matrix& expected,
                                 const ScalarProblem& problem, const Vector& direction,
                                 Refinement* refinement, const Beginning& start, const Progress& progress) {
  // Roundings of a look at a choice, by which it may seem better than it is.
  constexpr double kRoundings = 64;
  const Progress planning = [&](double part) { pulse(progress, kPlanned * part); };
  const Pulse evaluating = [&] { pulse(progress, kPlanned); };
  OptimalValues::Task task{
      .cost = problem.cost, .cost_scale = problem.cost_scale, .cold = start.actions.empty()};
  std::vector<std::int32_t> actions = task.cold ? order.outwards() : start.actions;
  PolicyValues values(model, order, expected, actions, refinement);
  const auto take = [&](int s, std::int32_t action) {
    const bool changes = std::exchange(actions[s], action) != action;
    if (refinement) refinement->take(s, action);
    return changes;
  };
  const auto change_to = [&](const std::vector<std::int32_t>& others) {
    bool changed = false;
    for (const int s : order.states()) changed |= take(s, others[s]);
    return changed;
  };
  int sweeps = 0;
  if (refinement) {
    refinement->restart();
    sweeps -= refinement->equations().sweeps();
  }
  // As long as the actions are theirs, but for doubtful states.
  std::optional<RoughValues> rough = refinement ? act_roughly(model, order, problem, task, direction,
                                                              start.values, *refinement, actions, planning)
                                                : std::nullopt;
  const auto minimise = [&] {
    rough.reset();
    OptimalValues optimal(model, order, planning);
    optimal.actions = actions;
    optimal.minimise(task);
    sweeps += optimal.sweeps();
    change_to(optimal.actions);
  };
  if (!rough) {
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
    const std::optional<double> off = values.off_along(direction);
    if (!rough || !off || !rough->hold_with(found)) return prove(model, order, found, task);
    // Of other states no choice but their action needs another look, and that is an equation that was solved.
    Proof proof = prove(model, order, rough->doubtful(), found, task);
    proof.residual = std::max(proof.residual, *off);
    return proof;
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
  result.sweeps = sweeps + values.sweeps() + (refinement ? refinement->equations().sweeps() : 0);
  result.evaluation = values.evaluation();
  Eigen::MatrixXf of_answer;
  if (refinement && model.dim() <= kFew) of_answer = values.beyond(result.evaluation.measurement);
  result.policy = TabularPolicy::deterministic(actions, {}, std::move(of_answer));
  return result;
}

}  // namespace c2rl
