#include "c2rl/planning/optimal_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

/// States between two pulses: a few milliseconds.
constexpr std::size_t kStatesPerPulse = 1 << 14;

}  // namespace

OptimalValues::OptimalValues(const TabularModel& model, const StateOrder& order, double longest,
                             const Progress& progress)
    : actions(model.states, 0),
      model_(model),
      order_(order),
      longest_(longest),
      progress_(progress),
      values_(model.states, 0.0),
      gap_(model.choices()),
      place_(model.states, -1) {}

void OptimalValues::minimise(const Task& task) {
  std::ranges::fill(values_, 0.0);
  moved_ = done_ = 0;
  if (task.allowed.empty()) {
    kept_.assign(model_.choices(), 1);
  } else {
    kept_.assign(task.allowed.begin(), task.allowed.end());
  }
  double solved = 0;
  for (int c = 0; c < order_.components(); ++c) {
    const auto members = order_.component(c);
    if (members.size() == 1) {
      solve_single(task, members[0]);
    } else {
      for (std::size_t i = 0; i < members.size(); ++i) place_[members[i]] = static_cast<std::int32_t>(i);
      solve(task, c);
      equations_.reset();
      for (const int s : members) place_[s] = -1;
    }
    solved += static_cast<double>(members.size());
    done_ = solved / order_.size();
  }
}

/// A choice that may come back to its state is taken until it does not.
void OptimalValues::solve_single(const Task& task, int state) {
  double least = kInfinity;
  for (int k = model_.choice_begin[state]; k < model_.choice_begin[state + 1]; ++k) {
    if (!kept_[k]) continue;
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
  moved_ = std::max(moved_, rounding(task, std::abs(least)));
}

void OptimalValues::solve(const Task& task, int component) {
  const auto members = order_.component(component);
  if (!task.cold || order_.has_exit(component))
    evaluate(task, members, std::max(task.goal, kStartAccuracy * task.cost_scale));
  const double before = done_, part = static_cast<double>(members.size()) / order_.size();
  double first = 0, least = kInfinity, sum = kInfinity;
  bool evaluated = false;
  for (int idle = 0;;) {
    const Sweep sweep = improve(task, members);
    const double unsure = rounding(task, sweep.largest);
    const double moved = std::max(sweep.down, sweep.up);
    // Once policies are evaluated exactly, each has lower values than the one before, but for rounding.
    const bool lower = sweep.sum < sum;
    if (evaluated) sum = sweep.sum;
    if (moved <= std::max(task.goal, unsure) || (evaluated && (!sweep.changed || !lower)) ||
        !std::isfinite(moved)) {
      moved_ = std::max(moved_, moved + unsure);
      return;
    }
    first = std::max(first, moved);
    if (first > moved) {
      const double all = std::log(first / std::max(task.goal, unsure));
      done_ = std::max(done_, before + part * std::min(1.0, std::log(first / moved) / all));
    }
    drop(members, (std::max(moved_, sweep.down + unsure) + std::max(moved_, sweep.up + unsure)) * longest_);
    idle = moved < least ? 0 : idle + 1;
    least = std::min(least, moved);
    evaluated = !sweep.changed || idle >= kIdleRounds;
    evaluate(task, members, evaluated ? 0.0 : kInexact * moved);
  }
}

/// A Bellman sweep in place.
OptimalValues::Sweep OptimalValues::improve(const Task& task, std::span<const std::int32_t> members) {
  ++sweeps_;
  Sweep result;
  const std::int32_t* const begin = model_.transition_begin.data();
  const std::int32_t* const next = model_.next.data();
  const double* const probability = model_.probability.data();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i % kStatesPerPulse == 0) pulse(progress_, done_);
    const int s = members[i];
    const int first = model_.choice_begin[s], last = model_.choice_begin[s + 1];
    const int present = first + actions[s];
    double least = kInfinity, of_present = kInfinity;
    int best = present;
    for (int k = first; k < last; ++k) {
      if (!kept_[k]) continue;
      double sum = 0;
      for (int e = begin[k]; e < begin[k + 1]; ++e) sum += probability[e] * values_[next[e]];
      const double value = task.cost[k] + model_.discount * sum;
      gap_[k] = static_cast<float>(value);
      best = value < least ? k : best;
      least = std::min(least, value);
      of_present = k == present ? value : of_present;
    }
    for (int k = first; k < last; ++k) gap_[k] -= static_cast<float>(least);
    result.up = std::max(result.up, least - values_[s]);
    result.down = std::max(result.down, values_[s] - least);
    result.largest = std::max(result.largest, std::abs(least));
    values_[s] = least;
    result.sum += least;
    if (of_present > least + kBetter * kEpsilon * (std::abs(least) + task.cost_scale)) {
      actions[s] = best - first;
      result.changed = true;
    }
  }
  return result;
}

/// Gaps are kept in single precision, of values whose rounding counts.
void OptimalValues::drop(std::span<const std::int32_t> members, double gap) {
  for (const int s : members) {
    const auto unsure = 4 * std::numeric_limits<float>::epsilon() * std::abs(values_[s]);
    for (int k = model_.choice_begin[s]; k < model_.choice_begin[s + 1]; ++k) {
      if (gap_[k] * (1 - 1e-6) > gap + unsure) kept_[k] = 0;
    }
  }
}

/// The equation of a member's value under its action goes to the end of `rows`; what does not depend on other
/// members is returned.
double OptimalValues::append_row(const Task& task, int state, SparseRows& rows) const {
  const int k = model_.choice_begin[state] + actions[state];
  double known = task.cost[k];
  for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e) {
    const int j = place_[model_.next[e]];
    const double value = model_.discount * model_.probability[e];
    if (j >= 0) {
      rows.column.push_back(j);
      rows.value.push_back(value);
    } else {
      known += value * values_[model_.next[e]];
    }
  }
  rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
  return known;
}

/// Brings the equations of a component up to date; few actions change at a time.
void OptimalValues::update_equations(const Task& task, std::span<const std::int32_t> members) {
  const int n = static_cast<int>(members.size());
  bool fits = equations_.has_value();
  SparseRows row;
  for (int i = 0; i < n && fits; ++i) {
    if (in_equations_[i] == actions[members[i]]) continue;
    if (i % kStatesPerPulse == 0) pulse(progress_, done_);
    row.begin.assign(1, 0);
    row.column.clear();
    row.value.clear();
    const double b = append_row(task, members[i], row);
    fits = equations_->replace(i, row.column, row.value, b);
    in_equations_[i] = actions[members[i]];
  }
  if (fits) return;
  SparseRows rows;
  Vector b(n);
  in_equations_.resize(n);
  for (int i = 0; i < n; ++i) {
    if (i % kStatesPerPulse == 0) pulse(progress_, done_);
    b[i] = append_row(task, members[i], rows);
    in_equations_[i] = actions[members[i]];
  }
  equations_.emplace(std::move(rows), std::move(b));
}

void OptimalValues::evaluate(const Task& task, std::span<const std::int32_t> members, double goal) {
  update_equations(task, members);
  const int n = static_cast<int>(members.size());
  Vector x(n);
  for (int i = 0; i < n; ++i) x[i] = values_[members[i]];
  sweeps_ += equations_->approach(x, goal, [&] { pulse(progress_, done_); });
  for (int i = 0; i < n; ++i) values_[members[i]] = x[i];
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
