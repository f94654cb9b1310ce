#include "c2rl/planning/optimal_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace c2rl {
namespace {

/// To what part of the last sweep's moves the next policy's values are computed: finer is of no use while
/// actions change, coarser takes more sweeps of all choices.
constexpr double kInexact = 0.05;

/// What a policy that is only a start is evaluated to, in units of the largest cost.
constexpr double kStartAccuracy = 1e-3;

/// Improvements that may pass without values coming nearer before policies are evaluated exactly.
constexpr int kIdleRounds = 4;

/// An action is given up for one that is better by more than this many roundings.
constexpr double kBetter = 8;

/// Rounds what is kept in single precision down.
constexpr double kSinglePrecision = 1 - 2e-7;

/// States between two pulses: a few milliseconds.
constexpr std::size_t kStatesPerPulse = 1 << 14;

}  // namespace

OptimalValues::OptimalValues(const TabularModel& model, const StateOrder& order, const Progress& progress)
    : actions(model.states, 0),
      model_(model),
      order_(order),
      rows_(order.rows(model)),
      progress_(progress),
      values_(model.states, 0.0),
      place_(model.states, -1) {}

void OptimalValues::minimise(const Task& task) {
  if (task.values.empty()) {
    std::ranges::fill(values_, 0.0);
  } else {
    std::ranges::copy(task.values, values_.begin());
  }
  apart_ = done_ = 0;
  look_at_.assign(model_.states, 0);
  double solved = 0;
  for (int c = 0; c < order_.components(); ++c) {
    const auto members = order_.component(c);
    if (members.size() == 1) {
      solve_single(task, members[0]);
    } else {
      for (std::size_t i = 0; i < members.size(); ++i) place_[members[i]] = static_cast<std::int32_t>(i);
      solve(task, c);
      if (order_.components() > 1) {
        equations_.reset();
        for (const int s : members) place_[s] = -1;
      }
    }
    solved += static_cast<double>(members.size());
    done_ = solved / order_.size();
  }
}

/// A choice that may come back to its state is taken until it does not.
void OptimalValues::solve_single(const Task& task, int state) {
  double least = kInfinity;
  for (int k = model_.choice_begin[state]; k < model_.choice_begin[state + 1]; ++k) {
    if (!task.allowed.empty() && !task.allowed[k]) continue;
    double sum = 0, back = 0;
    for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
      if (model_.next[e] == state) {
        back += model_.probability[e];
      } else {
        sum += model_.probability[e] * values_[model_.next[e]];
      }
    }
    const double value = (task.cost[k] + model_.discount * sum) / (1 - model_.discount * back);
    if (value >= least) continue;
    least = value;
    actions[state] = k - model_.choice_begin[state];
  }
  values_[state] = least;
}

void OptimalValues::solve(const Task& task, int component) {
  const auto members = order_.component(component);
  bool blank = task.cold && !order_.has_exit(component);
  if (!blank && task.values.empty())
    evaluate(task, component, std::max(task.goal, kStartAccuracy * task.cost_scale));
  const double before = done_, part = static_cast<double>(members.size()) / order_.size();
  double first = 0, least = kInfinity, sum = kInfinity;
  bool settled = false, exact = false;
  for (int idle = 0;;) {
    const Sweep sweep = blank ? improve<true>(task, component) : improve<false>(task, component);
    blank = false;
    const double unsure = rounding(task, sweep.largest);
    const double moved = std::max(sweep.down, sweep.up);
    // Once policies are evaluated exactly, each has lower values than the one before, but for rounding.
    const bool lower = sweep.sum < sum;
    if (exact) sum = sweep.sum;
    if (moved <= std::max(task.goal, unsure) || (settled && !sweep.changed) || (exact && !lower) ||
        !std::isfinite(moved))
      return;
    first = std::max(first, moved);
    if (first > moved) {
      const double all = std::log(first / std::max(task.goal, unsure));
      done_ = std::max(done_, before + part * std::min(1.0, std::log(first / moved) / all));
    }
    idle = moved < least ? 0 : idle + 1;
    least = std::min(least, moved);
    settled = !sweep.changed;
    exact = exact || idle >= kIdleRounds;  // and from then on: inexact values may lead in a circle
    evaluate(task, component, exact ? 0.0 : kInexact * (settled ? task.goal : moved));
  }
}

/// A Bellman sweep in place; `kBlank`: of values that are 0, as are all that they lead to.
template <bool kBlank>
OptimalValues::Sweep OptimalValues::improve(const Task& task, int component) {
  ++sweeps_;
  Sweep result;
  const auto members = order_.component(component);
  const auto [choice_begin, begin, next, probability, by_place] = rows_;
  double* const values = values_.data();
  const bool restricted = !task.allowed.empty();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i % kStatesPerPulse == 0) pulse(progress_, done_);
    // What has moved in this sweep has moved away from what has not.
    const auto apart = static_cast<float>(apart_ + model_.discount * (result.up + result.down));
    const int s = members[i], row = rows_.of(order_.place(component) + i, s);
    const int first = choice_begin[row], count = choice_begin[row + 1] - first;
    const double* const cost = task.cost.data() + model_.choice_begin[s];
    const auto option = [&](int a) {
      double sum = 0;
      if constexpr (!kBlank) {
        for (int e = begin[first + a]; e < begin[first + a + 1]; ++e) sum += probability[e] * values[next[e]];
      }
      return cost[a] + model_.discount * sum;
    };
    double value;
    if (look_at_[s] > apart) {
      value = option(actions[s]);
    } else {
      double least = kInfinity, second = kInfinity, of_present = kInfinity;
      int best = actions[s];
      for (int a = 0; a < count; ++a) {
        if (restricted && !task.allowed[model_.choice_begin[s] + a]) continue;
        const double found = option(a);
        second = std::min(second, std::max(least, found));
        best = found < least ? a : best;
        least = std::min(least, found);
        of_present = a == actions[s] ? found : of_present;
      }
      if (of_present > least + kBetter * kEpsilon * (std::abs(least) + task.cost_scale)) {
        actions[s] = best;
        result.changed = true;
        of_present = least;
      }
      const double worse = (best == actions[s] ? second : least) - of_present;
      look_at_[s] = static_cast<float>((apart_ + worse) * kSinglePrecision);
      value = least;
    }
    const double before = values[s];
    result.up = std::max(result.up, value - before);
    result.down = std::max(result.down, before - value);
    result.largest = std::max(result.largest, std::abs(value));
    values[s] = value;
    result.sum += value;
  }
  apart_ += model_.discount * (result.up + result.down);
  return result;
}

/// The equation of a member's value under its action goes to the end of `rows`, as far as it depends on members.
void OptimalValues::append_row(int state, SparseRows& rows) const {
  const int k = choice(state);
  for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
    const int j = place_[model_.next[e]];
    if (j < 0) continue;
    rows.column.push_back(j);
    rows.value.push_back(model_.discount * model_.probability[e]);
  }
  rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
}

/// What a member's value under its action owes to states that are no members.
double OptimalValues::from_others(int state) const {
  const int k = choice(state);
  double sum = 0;
  for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
    if (place_[model_.next[e]] < 0) sum += model_.probability[e] * values_[model_.next[e]];
  }
  return model_.discount * sum;
}

/// Brings the equations of a component up to date; few actions change at a time.
void OptimalValues::update_equations(std::span<const std::int32_t> members) {
  const int n = static_cast<int>(members.size());
  bool fits = equations_.has_value();
  SparseRows row;
  for (int i = 0; i < n && fits; ++i) {
    if (in_equations_[i] == actions[members[i]]) continue;
    if (i % kStatesPerPulse == 0) pulse(progress_, done_);
    row.begin.assign(1, 0);
    row.column.clear();
    row.value.clear();
    append_row(members[i], row);
    fits = equations_->replace(i, row.column, row.value);
    in_equations_[i] = actions[members[i]];
  }
  if (fits) return;
  std::size_t entries = 0;
  for (const int s : members)
    entries += model_.transition_begin[choice(s) + 1] - model_.transition_begin[choice(s)];
  SparseRows rows;
  rows.begin.reserve(n + 1);
  rows.column.reserve(entries);
  rows.value.reserve(entries);
  in_equations_.resize(n);
  for (int i = 0; i < n; ++i) {
    if (i % kStatesPerPulse == 0) pulse(progress_, done_);
    append_row(members[i], rows);
    in_equations_[i] = actions[members[i]];
  }
  equations_.emplace(std::move(rows));
}

void OptimalValues::evaluate(const Task& task, int component, double goal) {
  const auto members = order_.component(component);
  update_equations(members);
  const int n = static_cast<int>(members.size());
  b_.resize(1, n);
  x_.resize(1, n);
  const bool alone = order_.components() == 1;
  for (int i = 0; i < n; ++i) {
    b_(0, i) = task.cost[choice(members[i])] + (alone ? 0.0 : from_others(members[i]));
    x_(0, i) = values_[members[i]];
  }
  sweeps_ += equations_->approach(b_, x_, goal, [&] { pulse(progress_, done_); });
  // Where there is a way out, what is there does not move.
  const bool has_exit = order_.has_exit(component);
  double most = has_exit ? 0 : -kInfinity, least = has_exit ? 0 : kInfinity;
  for (int i = 0; i < n; ++i) {
    const double move = x_(0, i) - values_[members[i]];
    most = std::max(most, move);
    least = std::min(least, move);
    values_[members[i]] = x_(0, i);
  }
  apart_ += model_.discount * (most - least);
}

double OptimalValues::rounding(const Task& task, double largest) const {
  return kEpsilon * (order_.branching() + 3) * (2 * largest + task.cost_scale);
}

double OptimalValues::start_value() const {
  double sum = 0;
  for (const int s : order_.states()) sum += model_.start[s] * values_[s];
  return sum;
}

double OptimalValues::largest_value() const {
  double largest = 0;
  for (const int s : order_.states()) largest = std::max(largest, std::abs(values_[s]));
  return largest;
}

}  // namespace c2rl
