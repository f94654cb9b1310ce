#include "c2rl/planning/proof.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "c2rl/mdp/parallel.h"
#include "c2rl/planning/ties.h"

namespace c2rl {
namespace {

/// `optimal` is one for all states.
Proof look_at(const TabularModel& model, int most_actions, std::span<const std::int32_t> states,
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

}  // namespace

Proof prove(const TabularModel& model, const StateOrder& order, const std::vector<double>& value,
            const OptimalValues::Task& task) {
  return prove(model, order, order.states(), value, task);
}

Proof prove(const TabularModel& model, const StateOrder& order, std::span<const std::int32_t> states,
            const std::vector<double>& value, const OptimalValues::Task& task) {
  constexpr int kGrain = 4096;  // states
  Proof proof;
  std::mutex mutex;
  std::vector<std::uint8_t> optimal(model.choices(), 0);
  for_ranges_parallel(static_cast<int>(states.size()), kGrain, [&](int begin, int end) {
    const Proof part =
        look_at(model, order.most_actions(), states.subspan(begin, end - begin), value, task, optimal);
    const std::lock_guard lock(mutex);
    proof.residual = std::max(proof.residual, part.residual);
    proof.tied |= part.tied;
  });
  proof.optimal = std::move(optimal);
  return proof;
}

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

}  // namespace c2rl
