#include "c2rl/planning/shortest_path.h"

#include <algorithm>

#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimum.h"

namespace c2rl {
namespace {

struct Label {
  double value;
  std::int32_t state;

  /// A total order, so that the order of settling does not depend on the heap.
  bool operator>(const Label& other) const {
    return value != other.value ? value > other.value : state > other.state;
  }
};

}  // namespace

ShortestPaths::ShortestPaths(const TabularModel& model) : model_(model), entry_begin_(model.states + 1, 0) {
  for (const int to : model.next) ++entry_begin_[to + 1];
  for (int s = 0; s < model.states; ++s) entry_begin_[s + 1] += entry_begin_[s];
  entry_.resize(model.next.size());
  std::vector<std::int32_t> place(entry_begin_.begin(), entry_begin_.end() - 1);
  for (int s = 0; s < model.states; ++s) {
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k)
      entry_[place[model.next[k]]++] = s;
  }
}

std::optional<ShortestPaths::Result> ShortestPaths::solve(const ScalarProblem& problem) const {
  if (problem.cost.empty()) return std::nullopt;
  const double least_cost = *std::ranges::min_element(problem.cost);
  if (least_cost == 0 && problem.step_cost > 0) return solve_free(problem);
  if (least_cost <= 0) return std::nullopt;
  const double limit = model_.horizon > 0 ? model_.horizon * least_cost : kInfinity;

  std::vector<double> value(model_.states, kInfinity);
  std::vector<std::int32_t> settled;
  settled.reserve(model_.states);
  std::vector<Label> heap;
  for (int s = 0; s < model_.states; ++s) {
    if (!model_.is_terminal(s)) continue;
    value[s] = 0;
    heap.push_back({0, s});
  }
  std::ranges::make_heap(heap, std::greater<>());
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, std::greater<>());
    const Label label = heap.back();
    heap.pop_back();
    if (label.value > value[label.state]) continue;
    settled.push_back(label.state);
    for (int i = entry_begin_[label.state]; i < entry_begin_[label.state + 1]; ++i) {
      const int s = entry_[i];
      double found = value[s];
      for (int k = model_.choice_begin[s]; k < model_.choice_begin[s + 1]; ++k) {
        if (model_.next[k] == label.state) found = std::min(found, problem.cost[k] + label.value);
      }
      if (found >= value[s] || found >= limit) continue;
      value[s] = found;
      heap.push_back({found, s});
      std::ranges::push_heap(heap, std::greater<>());
    }
  }

  double farthest = 0;
  for (int s = 0; s < model_.states; ++s) {
    if (model_.start[s] > 0) farthest = std::max(farthest, value[s]);
  }
  // Neither ties nor rounding may reach the limit, or blur the order in which states were settled.
  const double steps = farthest / least_cost;
  const double rounding = kEpsilon * 4 * steps * farthest;
  const double margin = problem.tolerance(farthest) + rounding;
  if (farthest + margin >= limit || !(margin < least_cost)) return std::nullopt;

  // Whatever an optimal choice leads to was settled before.
  Result result;
  result.rounding = rounding;
  result.actions.assign(model_.states, 0);
  std::vector<double> second(model_.states, 0.0);
  std::vector<Outlook> options(model_.max_actions());
  for (const int s : settled) {
    if (model_.is_terminal(s)) continue;
    const int first_choice = model_.choice_begin[s], count = model_.actions(s);
    for (int a = 0; a < count; ++a) {
      const int next = model_.next[first_choice + a];
      options[a] = problem.option(first_choice + a, {value[next], second[next]});
    }
    const Decision decision = problem.decide(options.data(), count, first_choice);
    second[s] = decision.outlook.second;
    result.actions[s] = decision.action;
  }
  for (int s = 0; s < model_.states; ++s) {
    if (model_.start[s] == 0) continue;
    result.start.value += model_.start[s] * value[s];
    result.start.second += model_.start[s] * second[s];
  }
  return result;
}

std::optional<ShortestPaths::Result> ShortestPaths::solve_free(const ScalarProblem& problem) const {
  ScalarProblem steps = problem;
  for (double& c : steps.cost) c = c == 0 ? 1 : kInfinity;
  steps.cost_scale = 1;
  auto result = solve(steps);
  if (result) {
    result->start.value = 0;
    result->rounding = 0;
  }
  return result;
}

std::optional<Optimum> shortest_path(const TabularModel& model, const ShortestPaths& paths,
                                     const ScalarProblem& problem) {
  const auto found = paths.solve(problem);
  if (!found) return std::nullopt;
  Optimum result;
  result.policy = TabularPolicy::deterministic(found->actions);
  result.evaluation = evaluate(model, *result.policy);
  result.lower_bound = found->start.value - found->rounding;
  return result;
}

}  // namespace c2rl
