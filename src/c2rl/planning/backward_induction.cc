#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimum.h"

namespace c2rl {
namespace {

/// Each state's final action first, since time runs against the sweeps.
PolicyPtr time_dependent_policy(const ValueSweeps& sweeps, int horizon) {
  const std::span<const std::int32_t> final_actions = sweeps.actions();
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

/// Whether what is best with the whole horizon to go, done at all steps, is surely not as good as it was at its time: with a
/// few steps to go it costs more from every state, and whatever comes before leads to one of them. `best` are the least
/// costs with `steps` to go. Cheap; where some episode may end, nothing is sure.
bool costs_more_everywhere(const TabularModel& model, const BlockGraph& graph, const ScalarProblem& problem,
                           std::span<const std::int32_t> actions, const std::vector<double>& best, int steps,
                           double by_more_than) {
  if (graph.ends()) return false;
  std::vector<double> now(model.states, 0.0), then(model.states);
  for (int step = 0; step < steps; ++step) {
    for_ranges_parallel(model.states, BlockGraph::kBlockStates, [&](int begin, int end) {
      for (int s = begin; s < end; ++s) {
        const int k = model.choice_begin[s] + actions[s];
        double ahead = 0;
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
          ahead += model.probability[e] * now[model.next[e]];
        then[s] = problem.cost[k] + model.discount * ahead;
      }
    });
    std::swap(now, then);
  }
  double least = kInfinity;
  for (int s = 0; s < model.states; ++s) least = std::min(least, now[s] - best[s]);
  return least * std::pow(model.discount, model.horizon - steps) > by_more_than;
}

}  // namespace

Optimum backward_induction(const TabularModel& model, const BlockGraph& graph, const ScalarProblem& problem,
                           const Vector& direction, const Progress& progress) {
  constexpr int kLastSteps = 6;
  const Progress planning = [&](double part) { pulse(progress, kPlanned * part); };
  const int last_steps = std::min(kLastSteps, model.horizon);
  ValueSweeps sweeps(model, graph, problem);
  const bool settled = sweeps.run(last_steps);
  std::vector<double> last_values(model.states);
  for (int s = 0; s < model.states; ++s) last_values[s] = sweeps.outlook(s).value;
  if (!settled) sweeps.run(model.horizon - last_steps, planning);
  const Pulse evaluating = [&] { pulse(progress, kPlanned); };
  const Outlook start = start_outlook(model, sweeps);
  Optimum result;
  result.sweeps = sweeps.sweeps();
  result.lower_bound = start.value - rounding(model, graph, sweeps);

  const double as_good = start.value + problem.tolerance(start.value);
  if (!costs_more_everywhere(model, graph, problem, sweeps.actions(), last_values, last_steps,
                             2 * problem.tolerance(start.value))) {
    // What is best with the whole horizon to go, done at all steps.
    result.policy = TabularPolicy::deterministic(sweeps.actions());
    result.evaluation = evaluate(model, *result.policy, evaluating);
    const double second = problem.step_cost * result.evaluation.steps;
    if (direction.dot(result.evaluation.measurement) <= as_good &&
        (!sweeps.has_second() || second <= start.second + ScalarProblem::second_tolerance(start.second)))
      return result;
  }
  result.policy = time_dependent_policy(sweeps, model.horizon);
  result.evaluation = evaluate(model, *result.policy, evaluating);
  return result;
}

}  // namespace c2rl
