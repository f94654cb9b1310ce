#include <algorithm>

#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimum.h"

namespace c2rl {
namespace {

/// Each state's final action first, since time runs against the sweeps.
PolicyPtr time_dependent_policy(const ValueSweeps& sweeps, int horizon) {
  const std::vector<std::int32_t>& final_actions = sweeps.actions();
  const int states = static_cast<int>(final_actions.size());
  PolicyRuns runs;
  runs.begin.assign(states + 1, 1);
  runs.begin[0] = 0;
  for (const auto& block : sweeps.changes()) {
    for (const ActionChange& change : block) ++runs.begin[change.state + 1];
  }
  for (int s = 0; s < states; ++s) runs.begin[s + 1] += runs.begin[s];

  std::vector<std::int32_t> actions(runs.begin.back());
  runs.first_step.resize(runs.begin.back());
  std::vector<std::int32_t> place(runs.begin.begin(), runs.begin.end() - 1);
  for (int s = 0; s < states; ++s) {
    runs.first_step[place[s]] = 0;
    actions[place[s]++] = final_actions[s];
  }
  for (const auto& block : sweeps.changes()) {
    for (auto change = block.rbegin(); change != block.rend(); ++change) {
      // From this step on, fewer than steps_to_go are left.
      runs.first_step[place[change->state]] = horizon - change->steps_to_go + 1;
      actions[place[change->state]++] = change->action_below;
    }
  }
  return TabularPolicy::deterministic(actions, std::move(runs));
}

/// Expected over the start distribution, with the whole horizon to go.
Outlook start_outlook(const TabularModel& model, const ValueSweeps& sweeps) {
  Outlook start;
  for (int s = 0; s < model.states; ++s) {
    if (model.start[s] == 0) continue;
    start.value += model.start[s] * sweeps.outlook(s).value;
    start.second += model.start[s] * sweeps.outlook(s).second;
  }
  return start;
}

/// Each step of an episode adds the rounding of one sweep, relative to the values that are combined there.
double rounding(const TabularModel& model, const BlockGraph& graph, const ValueSweeps& sweeps) {
  const double steps =
      model.discount < 1 ? std::min<double>(model.horizon, 1 / (1 - model.discount)) : model.horizon;
  return kEpsilon * (graph.branching() + 3) * steps * sweeps.largest_value();
}

}  // namespace

Optimum backward_induction(const TabularModel& model, const BlockGraph& graph, const ScalarProblem& problem,
                           const Vector& direction, const Progress& progress) {
  ValueSweeps sweeps(model, graph, problem);
  sweeps.run(model.horizon, [&](double part) { pulse(progress, kPlanned * part); });
  const Pulse evaluating = [&] { pulse(progress, kPlanned); };
  const Outlook start = start_outlook(model, sweeps);
  Optimum result;
  result.sweeps = sweeps.sweeps();
  result.lower_bound = start.value - rounding(model, graph, sweeps);

  // What is best with the whole horizon to go, done at all steps.
  result.policy = TabularPolicy::deterministic(sweeps.actions());
  result.evaluation = evaluate(model, *result.policy, evaluating);
  const double value = direction.dot(result.evaluation.measurement);
  const double second = problem.step_cost * result.evaluation.steps;
  const bool as_good =
      value <= start.value + problem.tolerance(start.value) &&
      (!sweeps.has_second() || second <= start.second + ScalarProblem::second_tolerance(start.second));
  if (!as_good) {
    result.policy = time_dependent_policy(sweeps, model.horizon);
    result.evaluation = evaluate(model, *result.policy, evaluating);
  }
  return result;
}

}  // namespace c2rl
