#include "c2rl/mdp/total_range.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "c2rl/mdp/parallel.h"

namespace c2rl {
namespace {

/// Steps from one state to another that are looked at in all; a few seconds.
constexpr double kMostVisits = 2e9;

/// All that can happen between one state and another: the least and the most that a step there adds.
struct Edge {
  int next = 0;
  double lowest = 0, highest = 0;
};

/// The states that can be visited, with what can happen in a step.
struct Graph {
  std::vector<int> states;  // those that are not terminal
  std::vector<std::int64_t> begin = {0};
  std::vector<Edge> edges;

  Graph(const TabularModel& model, const Vector& amounts);
};

Graph::Graph(const TabularModel& model, const Vector& amounts) {
  const std::vector<bool> reached = reachable_states(model);
  std::vector<std::int64_t> edge_to(model.states, -1);
  for (int s = 0; s < model.states; ++s) {
    if (!reached[s] || model.is_terminal(s)) continue;
    for (int e = model.first_transition(s); e < model.first_transition(s + 1); ++e) {
      if (!(model.probability[e] > 0)) continue;
      const int next = model.next[e];
      if (edge_to[next] < begin.back()) {
        edge_to[next] = std::ssize(edges);
        edges.push_back({next, amounts[e], amounts[e]});
      } else {
        Edge& edge = edges[edge_to[next]];
        edge.lowest = std::min(edge.lowest, amounts[e]);
        edge.highest = std::max(edge.highest, amounts[e]);
      }
    }
    states.push_back(s);
    begin.push_back(std::ssize(edges));
  }
}

/// The least and the most that is still to come, by state.
struct Values {
  std::vector<double> lowest, highest;

  Values(int states, double least, double most) : lowest(states, least), highest(states, most) {}
};

/// Which ends a step further back is different for; by any thread.
struct Changed {
  std::atomic<bool> lowest = false, highest = false;

  explicit operator bool() const { return lowest || highest; }
};

/// One step further back.
void sweep(const Graph& graph, double discount, const Values& after, Values& before, Changed& changed) {
  const auto visit = [&](std::size_t i) {
    double lowest = kInfinity, highest = -kInfinity;
    for (std::int64_t e = graph.begin[i]; e < graph.begin[i + 1]; ++e) {
      const Edge& edge = graph.edges[e];
      lowest = std::min(lowest, edge.lowest + discount * after.lowest[edge.next]);
      highest = std::max(highest, edge.highest + discount * after.highest[edge.next]);
    }
    const int s = graph.states[i];
    if (lowest != after.lowest[s]) changed.lowest.store(true, std::memory_order_relaxed);
    if (highest != after.highest[s]) changed.highest.store(true, std::memory_order_relaxed);
    before.lowest[s] = lowest;
    before.highest[s] = highest;
  };
  constexpr int kGrain = 4096;  // below it threads cost more than they bring
  for_ranges_parallel(static_cast<int>(graph.states.size()), kGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) visit(static_cast<std::size_t>(i));
  });
}

/// Goes back `steps` steps, or until nothing changes.
void go_back(const Graph& graph, double discount, int steps, Values& values, const Pulse& listener) {
  Values next = values;
  for (int step = 0; step < steps; ++step) {
    Changed changed;
    pulse(listener);
    sweep(graph, discount, values, next, changed);
    if (!changed) return;
    std::swap(values, next);
  }
}

TotalRange range_at_start(const TabularModel& model, const Values& values) {
  TotalRange range{kInfinity, -kInfinity};
  for (int s = 0; s < model.states; ++s) {
    if (!(model.start[s] > 0)) continue;
    range.lowest = std::min(range.lowest, values.lowest[s]);
    range.highest = std::max(range.highest, values.highest[s]);
  }
  return range;
}

/// The most (or, negated, the least) that steps of at most `largest` add up to, if there is at least one.
double sum_bound(const TabularModel& model, double largest, bool may_be_over_at_once) {
  if (largest <= 0) return may_be_over_at_once ? 0 : largest;
  if (model.discount == 1) return model.horizon > 0 ? model.horizon * largest : kInfinity;
  const double steps = model.horizon > 0 ? -std::expm1(model.horizon * std::log(model.discount)) : 1;
  return largest * steps / (1 - model.discount);
}

/// From the largest step alone.
TotalRange cheap_range(const TabularModel& model, const Graph& graph) {
  bool over_at_once = false;
  for (int s = 0; s < model.states; ++s)
    over_at_once = over_at_once || (model.start[s] > 0 && model.is_terminal(s));
  if (graph.edges.empty()) return {0, 0};
  double lowest = kInfinity, highest = -kInfinity;
  for (const Edge& edge : graph.edges) {
    lowest = std::min(lowest, edge.lowest);
    highest = std::max(highest, edge.highest);
  }
  return {-sum_bound(model, -lowest, over_at_once), sum_bound(model, highest, over_at_once)};
}

TotalRange intersection(const TotalRange& a, const TotalRange& b) {
  return {std::max(a.lowest, b.lowest), std::min(a.highest, b.highest)};
}

/// Exact, by going back from the cut at the horizon.
TotalRange range_to_horizon(const TabularModel& model, const Graph& graph, const Pulse& listener) {
  Values values(model.states, 0, 0);
  go_back(graph, model.discount, model.horizon, values, listener);
  return range_at_start(model, values);
}

/// After so many steps that what is left is within the bound of an endless sum.
TotalRange discounted_range(const TabularModel& model, const Graph& graph, int steps, const Pulse& listener) {
  const TotalRange rest = cheap_range(model, graph);
  Values values(model.states, std::min(0.0, rest.lowest), std::max(0.0, rest.highest));
  for (int s = 0; s < model.states; ++s) {
    if (model.is_terminal(s)) values.lowest[s] = values.highest[s] = 0;
  }
  go_back(graph, model.discount, steps, values, listener);
  return range_at_start(model, values);
}

/// Over episodes that end by themselves. An end that still moves after as many steps as there are states goes
/// round in a circle: it is infinite.
ModelRange ended_range(const TabularModel& model, const Graph& graph, const Pulse& listener) {
  Values values(model.states, kInfinity, -kInfinity);
  for (int s = 0; s < model.states; ++s) {
    if (model.is_terminal(s)) values.lowest[s] = values.highest[s] = 0;
  }
  Values next = values;
  const double affordable = kMostVisits / static_cast<double>(std::max<std::size_t>(1, graph.edges.size()));
  const double enough = static_cast<double>(graph.states.size()) + 1;
  TotalRange range;
  for (int step = 0; step < std::min(affordable, enough); ++step) {
    Changed changed;
    pulse(listener);
    sweep(graph, 1, values, next, changed);
    std::swap(values, next);
    range = range_at_start(model, values);
    if (!changed) return {range, true};
    if (changed.lowest) range.lowest = -kInfinity;
    if (changed.highest) range.highest = kInfinity;
  }
  return {intersection(range, cheap_range(model, graph)), enough <= affordable};
}

ModelRange graph_range(const TabularModel& model, const Graph& graph, const Pulse& listener) {
  const auto fits = [&](double steps) {
    return steps * static_cast<double>(graph.edges.size()) <= kMostVisits;
  };
  if (model.horizon > 0 && fits(model.horizon)) return {range_to_horizon(model, graph, listener), true};
  if (model.horizon == 0 && model.discount == 1) return ended_range(model, graph, listener);
  constexpr double kRest = 1e-9;  // of the endless sum: a range that is wider by this is as good
  const double steps = std::ceil(std::log(kRest) / std::log(model.discount));
  if (model.horizon == 0 && fits(steps))
    return {discounted_range(model, graph, static_cast<int>(steps), listener), true};
  return {cheap_range(model, graph), false};
}

/// The one value other than 0 that a total can have, where there is only one: when nothing but a step into a
/// terminal state adds anything, and always the same.
std::optional<double> event_amount(const TabularModel& model, const Graph& graph, const Vector& amounts) {
  if (model.discount != 1) return std::nullopt;
  std::optional<double> amount;
  for (const int s : graph.states) {
    for (int e = model.first_transition(s); e < model.first_transition(s + 1); ++e) {
      if (!(model.probability[e] > 0) || amounts[e] == 0) continue;
      if (!model.is_terminal(model.next[e]) || amounts[e] != amount.value_or(amounts[e])) return std::nullopt;
      amount = amounts[e];
    }
  }
  return amount;
}

TotalRange declared_range(const World& world, const Vector& combination) {
  if (world.ranges.empty()) return combination.isZero(0) ? TotalRange{0, 0} : TotalRange{};
  TotalRange sum{0, 0};
  int used = 0;
  for (int i = 0; i < world.dim(); ++i) {
    const double factor = combination[i];
    if (factor == 0) continue;
    const TotalRange& range = world.ranges[i];
    const double ends[] = {factor * range.lowest, factor * range.highest};
    sum.lowest += std::min(ends[0], ends[1]);
    sum.highest += std::max(ends[0], ends[1]);
    sum.event = range.event;
    ++used;
  }
  sum.event = sum.event && used == 1;
  return sum;
}

}  // namespace

ModelRange model_range(const TabularModel& model, const Vector& combination, const Pulse& listener) {
  const Vector amounts = model.measurement.transpose() * combination;
  const Graph graph(model, amounts);
  ModelRange result = graph_range(model, graph, listener);
  TotalRange& range = result.range;
  // Sums of several measurements that are 0 but for rounding are no events.
  const bool single = (combination.array() != 0).count() == 1;
  const auto event = single ? event_amount(model, graph, amounts) : std::nullopt;
  if (!event) return result;
  range.event = true;
  if (range.lowest == range.highest) return result;  // it always happens, or never can
  range.lowest = std::min(0.0, *event);
  range.highest = std::max(0.0, *event);
  return result;
}

TotalRange total_range(const World& world, const Vector& combination, const Pulse& listener) {
  if (combination.size() != world.dim()) throw std::logic_error("total_range: not one entry per measurement");
  if (!world.model) return declared_range(world, combination);
  const ModelRange computed = model_range(*world.model, combination, listener);
  if (computed.exact || computed.range.event) return computed.range;
  return intersection(computed.range, declared_range(world, combination));
}

}  // namespace c2rl
