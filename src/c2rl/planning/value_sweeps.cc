#include "c2rl/planning/value_sweeps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

/// Blocks below which threads cost more than they save.
constexpr int kSerialBlocks = 8;
/// Choices that sweeps go through between two pulses: about a millisecond.
constexpr int kChoicesPerPulse = 1 << 18;

}  // namespace

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
  for (int s = 0; s < model.states && !ends_; ++s) ends_ = model.is_terminal(s);
  most_choices_ = model.max_actions();
  for (int k = 0; k < model.choices(); ++k)
    branching_ = std::max(branching_, model.transition_begin[k + 1] - model.transition_begin[k]);
  if (!single_successors_ && !ends_) lay_side_by_side(model);
}

void BlockGraph::lay_side_by_side(const TabularModel& model) {
  constexpr int kLanes = SlicedRows::kLanes;
  constexpr double kMostEmpty = 0.25;
  const int slices = (model.states + kLanes - 1) / kLanes;
  const auto row_of = [&](int s, int a) { return ((s / kLanes) * most_choices_ + a) * kLanes + s % kLanes; };
  std::vector<std::int32_t> lengths(std::size_t{kLanes} * slices * most_choices_, 0);
  const auto for_each_choice = [&](auto visit) {
    for (int s = 0; s < model.states; ++s) {
      for (int a = 0; a < model.actions(s); ++a) {
        const int k = model.choice_begin[s] + a, first = model.transition_begin[k];
        visit(row_of(s, a), first, model.transition_begin[k + 1] - first);
      }
    }
  };
  for_each_choice([&](int row, int, int count) { lengths[row] = count; });
  // Few states do not fill sixteen, and need no speed.
  if (SlicedRows::padded(lengths) * (1 - kMostEmpty) > model.transitions()) return;
  side_by_side_.emplace(lengths, SlicedRows::Products::exact);
  for_each_choice([&](int row, int first, int count) {
    const double* const probability = model.probability.data() + first;
    off_one_ = std::max(off_one_, std::abs(std::accumulate(probability, probability + count, -1.0)));
    side_by_side_->set(row, count, [&](int i) {
      return SlicedRows::Entry{model.next[first + i], model.probability[first + i]};
    });
  });
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
      width_(problem.step_cost != 0 && graph.ends() ? 2 : 1),
      now_(static_cast<std::size_t>(width_) * model.states, 0.0),
      then_(now_),
      actions_(model.states, 0),
      changed_(graph.blocks(), 1),
      changing_(graph.blocks(), 0),
      changes_(graph.blocks()),
      largest_(graph.blocks(), 0.0),
      moves_(graph.blocks()) {
  if (graph.side_by_side() && width_ == 1 && problem.preference.empty()) lay_side_by_side();
}

bool ValueSweeps::run(int limit, const Progress& progress) {
  const int stride = 1 + kChoicesPerPulse / std::max(1, model_.choices());
  for (int i = 0; i < limit; ++i) {
    if (i % stride == 0) pulse(progress, static_cast<double>(i) / limit);
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
    moves_[b] = {};
    changing_[b] = graph_.leads_to_any(b, changed_) && sweep_block(b);
  };
  if (graph_.blocks() < kSerialBlocks) {
    for (int b = 0; b < graph_.blocks(); ++b) one(b);
  } else {
    for_each_parallel(graph_.blocks(), one);
  }
  std::swap(now_, then_);
  std::swap(changed_, changing_);
  if (!cost_.empty()) settle();
  return std::ranges::find(changed_, 1) != changed_.end();
}

bool ValueSweeps::sweep_block(int block) {
  if (settled_) return sweep_settled_block(block);
  if (!cost_.empty()) return sweep_block_by_value(block);
  if (graph_.single_successors()) return width_ == 1 ? sweep_block<1, 1>(block) : sweep_block<2, 1>(block);
  return with_entries(graph_.branching(), [&](auto entries) {
    return width_ == 1 ? sweep_block<1, entries()>(block) : sweep_block<2, entries()>(block);
  });
}

/// `kEntries`: transitions of every choice if 1, else of most, or 0: any number.
template <int kWidth, int kEntries>
bool ValueSweeps::sweep_block(int block) {
  using Option = std::conditional_t<kWidth == 1, double, Outlook>;
  static thread_local std::vector<Option> scratch;
  if (std::ssize(scratch) < graph_.most_choices()) scratch.resize(graph_.most_choices());
  Option* const options = scratch.data();
  const double *const now = now_.data(), *const probability = model_.probability.data();
  const std::int32_t *const begin = model_.transition_begin.data(), *const next = model_.next.data();
  const auto outlook_of = [&](int s) {
    const double* const at = now + std::ptrdiff_t{s} * kWidth;
    return Outlook{at[0], kWidth == 2 ? at[kWidth - 1] : 0.0};
  };
  const int last = std::min(model_.states, (block + 1) * BlockGraph::kBlockStates);
  double largest = largest_[block];
  bool changed = false;
  for (int s = block * BlockGraph::kBlockStates; s < last; ++s) {
    const int first_choice = model_.choice_begin[s];
    const int count = model_.choice_begin[s + 1] - first_choice;
    if (count == 0) continue;
    double least = kInfinity;
    for (int a = 0; a < count; ++a) {
      const int k = first_choice + a;
      Outlook ahead;
      if constexpr (kEntries == 1) {
        ahead = outlook_of(next[k]);
      } else {
        const int first = begin[k];
        for_entries<kEntries>(begin[k + 1] - first, [&](int e) {
          const Outlook of_next = outlook_of(next[first + e]);
          ahead.value += probability[first + e] * of_next.value;
          if constexpr (kWidth == 2) ahead.second += probability[first + e] * of_next.second;
        });
      }
      const Outlook option = problem_.option(k, ahead);
      if constexpr (kWidth == 1) {
        options[a] = option.value;
        least = std::min(least, option.value);
      } else {
        options[a] = option;
      }
    }
    Decision decision;
    if constexpr (kWidth == 1) {
      decision = problem_.decide_by_value(options, least, count, first_choice);
    } else {
      decision = problem_.decide(options, count, first_choice);
    }
    changed |= decision.outlook != outlook_of(s);
    double* const to = then_.data() + std::ptrdiff_t{s} * kWidth;
    to[0] = decision.outlook.value;
    if constexpr (kWidth == 2) to[1] = decision.outlook.second;
    largest = std::max(largest, std::abs(decision.outlook.value));
    if (decision.action != actions_[s]) {
      if (sweeps_ > 1) changes_[block].push_back({sweeps_, s, actions_[s]});
      actions_[s] = decision.action;
    }
  }
  largest_[block] = largest;
  return changed;
}

}  // namespace c2rl
