#include "c2rl/oracle/value_sweeps.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>

namespace c2rl {
namespace {

/// Blocks below which threads cost more than they save.
constexpr int kSerialBlocks = 8;

}  // namespace

ScalarProblem::ScalarProblem(const TabularModel& model, const Vector& direction, Ties ties, const Rng& rng)
    : cost(model.choices()) {
  tbb::parallel_for(tbb::blocked_range<int>(0, model.choices(), 1 << 14),
                    [&](const tbb::blocked_range<int>& range) {
                      for (int k = range.begin(); k < range.end(); ++k) {
                        double sum = 0;
                        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
                          sum += model.probability[e] * direction.dot(model.measurement.col(e));
                        }
                        cost[k] = sum;
                      }
                    });
  for (const double c : cost) cost_scale = std::max(cost_scale, std::abs(c));
  if (ties == Ties::shortest) step_cost = 1;
  if (ties == Ties::longest) step_cost = -1;
  if (ties == Ties::random) {
    Rng stream = rng.fork("ties");
    preference.resize(cost.size());
    for (auto& p : preference) p = static_cast<std::uint32_t>(stream.bits());
  }
}

BlockGraph::BlockGraph(const TabularModel& model) {
  const int blocks = (model.states + kBlockStates - 1) / kBlockStates;
  std::vector<std::int32_t> seen(blocks, -1);
  for (int b = 0; b < blocks; ++b) {
    const auto add = [&](int to) {
      if (seen[to] == b) return;
      seen[to] = b;
      next_.push_back(to);
    };
    add(b);
    const int last = std::min(model.states, (b + 1) * kBlockStates);
    for (int e = model.first_transition(b * kBlockStates); e < model.first_transition(last); ++e) {
      add(model.next[e] / kBlockStates);
    }
    begin_.push_back(static_cast<std::int32_t>(next_.size()));
  }
  single_successors_ = model.choices() == model.transitions();
}

bool BlockGraph::leads_to_any(int block, const std::vector<std::uint8_t>& marked) const {
  for (int i = begin_[block]; i < begin_[block + 1]; ++i) {
    if (marked[next_[i]]) return true;
  }
  return false;
}

ValueSweeps::ValueSweeps(const TabularModel& model, const BlockGraph& graph, const ScalarProblem& problem)
    : model_(model),
      graph_(graph),
      problem_(problem),
      now_(model.states),
      then_(model.states),
      actions_(model.states, 0),
      changed_(graph.blocks(), 1),
      changing_(graph.blocks(), 0),
      changes_(graph.blocks()),
      largest_(graph.blocks(), 0.0) {}

bool ValueSweeps::run(int limit) {
  for (int i = 0; i < limit; ++i) {
    if (!sweep()) return true;
  }
  return false;
}

double ValueSweeps::largest_value() const {
  return *std::ranges::max_element(largest_);
}

bool ValueSweeps::sweep() {
  ++sweeps_;
  // A skipped block keeps its outlook without being copied: it did not change in the sweep before, since it
  // leads to itself, so both buffers hold the same.
  const auto one = [&](int b) {
    changing_[b] = graph_.leads_to_any(b, changed_) &&
                   (graph_.single_successors() ? sweep_block<true>(b) : sweep_block<false>(b));
  };
  if (graph_.blocks() < kSerialBlocks) {
    for (int b = 0; b < graph_.blocks(); ++b) one(b);
  } else {
    tbb::parallel_for(0, graph_.blocks(), one);
  }
  std::swap(now_, then_);
  std::swap(changed_, changing_);
  return std::ranges::find(changed_, 1) != changed_.end();
}

template <bool kSingle>
bool ValueSweeps::sweep_block(int block) {
  static thread_local std::vector<Outlook> options;
  const double discount = model_.discount, step_cost = problem_.step_cost;
  const int last = std::min(model_.states, (block + 1) * BlockGraph::kBlockStates);
  double largest = largest_[block];
  bool changed = false;
  for (int s = block * BlockGraph::kBlockStates; s < last; ++s) {
    const int first_choice = model_.choice_begin[s];
    const int count = model_.choice_begin[s + 1] - first_choice;
    if (count == 0) continue;
    if (std::ssize(options) < count) options.resize(count);
    double least = kInfinity;
    for (int a = 0; a < count; ++a) {
      const int k = first_choice + a;
      double value = 0, second = 0;
      if constexpr (kSingle) {
        value = now_[model_.next[k]].value;
        second = now_[model_.next[k]].second;
      } else {
        for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
          value += model_.probability[e] * now_[model_.next[e]].value;
          second += model_.probability[e] * now_[model_.next[e]].second;
        }
      }
      options[a] = {problem_.cost[k] + discount * value, step_cost + discount * second};
      least = std::min(least, options[a].value);
    }
    const int action = best(options, count, least, first_choice);
    then_[s] = {least, options[action].second};
    changed |= then_[s] != now_[s];
    largest = std::max(largest, std::abs(least));
    if (action != actions_[s]) {
      if (sweeps_ > 1) changes_[block].push_back({sweeps_, s, actions_[s]});
      actions_[s] = action;
    }
  }
  largest_[block] = largest;
  return changed;
}

int ValueSweeps::best(const std::vector<Outlook>& options, int count, double least, int first_choice) const {
  const double equal = least + problem_.tolerance(least);
  int chosen = -1;
  for (int a = 0; a < count; ++a) {
    if (options[a].value > equal) continue;
    if (chosen < 0) {
      chosen = a;
      continue;
    }
    const double difference = options[a].second - options[chosen].second;
    const double step_tolerance = kTieTolerance * (1 + std::abs(options[a].second));
    if (difference < -step_tolerance) {
      chosen = a;
    } else if (difference <= step_tolerance && !problem_.preference.empty() &&
               problem_.preference[first_choice + a] < problem_.preference[first_choice + chosen]) {
      chosen = a;
    }
  }
  return chosen;
}

}  // namespace c2rl
