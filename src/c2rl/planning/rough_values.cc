#include "c2rl/planning/rough_values.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

constexpr float kSingle = std::numeric_limits<float>::epsilon();

/// Sweeps before a look for better actions: a look at all choices of all states costs as much as several, and finds more
/// where values are nearer to their end.
constexpr int kFollow = 3;

/// States that are looked at by one thread, at least; how far ahead what they need is asked for, and how many transitions come
/// with one line of the cache, at most.
constexpr int kBlock = 4096, kAhead = 8, kPerLine = 8;

/// Moves of values, in units of the largest cost, at which single precision has said what it can.
constexpr double kRough = 2e-6;

/// The most sweeps that it may take to get there, as far as one can see.
constexpr double kMostSweeps = 100;

/// In these units: choices that are nearer to each other than this may be in the wrong order.
constexpr float kDoubt = 1e-4F;

/// Of the mean move of a sweep, what is left out from then on: more would overshoot where a sweep carries far.
constexpr float kLeaveOut = 0.5F;

/// An action is given up for one that is better by more than so many roundings.
constexpr float kBetter = 4;

/// Always in the same order, wherever in memory they are.
float mean_of(const std::vector<float>& numbers) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> lanes = {};
  const std::size_t whole = numbers.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += numbers[i + lane];
  }
  for (std::size_t i = whole; i < numbers.size(); ++i) lanes[i - whole] += numbers[i];
  return std::accumulate(lanes.begin(), lanes.end(), 0.0F) / static_cast<float>(numbers.size());
}

}  // namespace

RoughValues::RoughValues(const TabularModel& model, const StateOrder& order, const ScalarProblem& problem,
                         const Progress& progress)
    : model_(model),
      order_(order),
      problem_(problem),
      progress_(progress),
      per_unit_(1 / problem.cost_scale),
      begin_(model.states + 1, 0),
      b_(model.states),
      x_(model.states),
      look_at_(model.states, 0.0F) {
  for (int s = 0; s < model.states; ++s) {
    int longest = 0;
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k)
      longest = std::max(longest, model.transition_begin[k + 1] - model.transition_begin[k]);
    begin_[s + 1] = begin_[s] + longest;
  }
  next_.resize(begin_.back());
  factor_.resize(begin_.back());
}

void RoughValues::take(int state, int action) {
  const int k = model_.choice_begin[state] + action;
  b_[state] = static_cast<float>(problem_.cost[k] * per_unit_);
  int row = begin_[state];
  for (int e = model_.transition_begin[k]; e < model_.transition_begin[k + 1]; ++e, ++row) {
    next_[row] = model_.next[e];
    factor_[row] = static_cast<float>(model_.discount * model_.probability[e]);
  }
  for (; row < begin_[state + 1]; ++row) {
    next_[row] = state;
    factor_[row] = 0;
  }
}

void RoughValues::start(std::vector<std::int32_t>& actions, bool cold) {
  for (int s = 0; s < model_.states; ++s) {
    if (cold) {
      const auto first = problem_.cost.begin() + model_.choice_begin[s];
      actions[s] = static_cast<std::int32_t>(
          std::min_element(first, problem_.cost.begin() + model_.choice_begin[s + 1]) - first);
    }
    take(s, actions[s]);
  }
  // What every step has in common is left out from the beginning.
  left_ = mean_of(b_);
  for (int s = 0; s < model_.states; ++s) x_[s] = b_[s] - left_;
}

/// A sweep of the present actions. Returns how far values came apart in it.
float RoughValues::follow() {
  const RelaxedRows<float> rows{begin_, next_, factor_.data(), b_.data(), 1, order_.branching()};
  float* const x = x_.data();
  float up = -std::numeric_limits<float>::infinity(), down = -up;
  for_each_relaxed<1>(rows, x, [x, left = left_, &up, &down](int s, const float* found) {
    const float value = *found - left, move = value - x[s];
    up = std::max(up, move);
    down = std::min(down, move);
    x[s] = value;
  });
  return up - down;
}

/// Some sweeps. Returns how far values came apart in the last. What has become common to all is left out from then on.
double RoughValues::settle() {
  float apart = 0;
  for (int i = 0; i < kFollow; ++i) {
    pulse(progress_, 0.0);
    const float before = mean_of(x_);
    apart = follow();
    apart_ += static_cast<float>(model_.discount) * apart;
    left_ += kLeaveOut * (mean_of(x_) - before);
  }
  sweeps_ += kFollow;
  return static_cast<double>(apart);
}

/// Looks at all choices of the states of which it is not known which is the best, and takes that. Returns how many changed.
template <int kEntries>
int RoughValues::look(std::vector<std::int32_t>& actions) {
  std::atomic<int> changed = 0;
  for_ranges_parallel(model_.states, kBlock,
                      [&](int begin, int end) { changed += look<kEntries>(begin, end, actions); });
  return changed;
}

template <int kEntries>
int RoughValues::look(int begin, int end, std::vector<std::int32_t>& actions) {
  const std::int32_t* const choice_begin = model_.choice_begin.data();
  const std::int32_t* const transition_begin = model_.transition_begin.data();
  const std::int32_t* const next = model_.next.data();
  const double *const probability = model_.probability.data(), *const cost = problem_.cost.data();
  const auto discount = static_cast<float>(model_.discount);
  const float* const x = x_.data();
  std::vector<float> options(model_.max_actions());
  std::vector<std::int32_t> open(end - begin + kAhead);
  int count = 0, changed = 0;
  for (int s = begin; s < end; ++s) {
    open[count] = s;
    count += !(look_at_[s] > apart_);
  }
  std::fill_n(open.begin() + count, kAhead, open[0]);
  for (int i = 0; i < count; ++i) {
    // Where few are open, what they need comes from far apart.
    const int ahead = choice_begin[open[i + kAhead]];
    __builtin_prefetch(cost + ahead);
    for (int e = transition_begin[ahead]; e < transition_begin[choice_begin[open[i + kAhead] + 1]];
         e += kPerLine) {
      __builtin_prefetch(next + e);
      __builtin_prefetch(probability + e);
    }
    const int s = open[i], first = choice_begin[s], choices = choice_begin[s + 1] - first;
    std::ptrdiff_t at = transition_begin[first];
    for (int a = 0; a < choices; ++a) {
      float sum = 0;
      const int entries = transition_begin[first + a + 1] - transition_begin[first + a];
      for_entries<kEntries>(entries,
                            [&](int e) { sum += static_cast<float>(probability[at + e]) * x[next[at + e]]; });
      at += entries;
      options[a] = static_cast<float>(cost[first + a] * per_unit_) + discount * sum;
    }
    changed += decide(options.data(), choices, s, actions[s]);
  }
  return changed;
}

/// Takes the best of a state's options, unless the present one is as good. Returns whether it has changed.
bool RoughValues::decide(const float* options, int count, int state, std::int32_t& action) {
  float least = options[0];
  for (int a = 1; a < count; ++a) least = std::min(least, options[a]);
  const bool changes = options[action] > least + kBetter * kSingle * (std::abs(least) + 1);
  if (changes) {
    action = static_cast<std::int32_t>(std::find(options, options + count, least) - options);
    take(state, action);
  }
  float others = std::numeric_limits<float>::infinity();
  for (int a = 0; a < count; ++a) others = std::min(others, a == action ? others : options[a]);
  look_at_[state] = apart_ + (others - options[action]);
  return changes;
}

bool RoughValues::minimise(std::vector<std::int32_t>& actions, bool cold) {
  if (problem_.cost_scale == 0) return false;  // nothing costs anything
  start(actions, cold);
  double last = kInfinity;
  for (int round = 0;; ++round) {
    const double apart = settle();
    if (!std::isfinite(apart)) return false;
    pulse(progress_, 0.0);
    const int changed =
        with_entries(order_.branching(), [&](auto entries) { return look<entries()>(actions); });
    if (changed == 0 && apart <= kRough) return true;
    // The first rounds find a policy, and say little of how fast its values settle.
    if (round < 2) continue;
    const double decay = std::log(last / apart) / kFollow;
    // Where rounding keeps values moving, that is all there is to be had.
    if (!(decay > 0) && apart <= kDoubt) return true;
    if (!(std::log(apart / kRough) <= decay * kMostSweeps)) return false;
    last = apart;
  }
}

std::vector<double> RoughValues::costs() const {
  std::vector<double> result(x_.begin(), x_.end());
  for (double& value : result) value *= problem_.cost_scale;
  return result;
}

std::vector<std::int32_t> RoughValues::doubtful() const {
  std::vector<std::int32_t> result;
  for (int s = 0; s < model_.states; ++s) {
    if (!(look_at_[s] > apart_ + kDoubt)) result.push_back(s);
  }
  return result;
}

}  // namespace c2rl
