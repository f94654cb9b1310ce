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

/// An action is given up for one that is better by more than so many roundings.
constexpr float kBetter = 4;

}  // namespace

RoughValues::RoughValues(const TabularModel& model, const StateOrder& order, const ScalarProblem& problem,
                         PolicyEquations& equations, const Progress& progress)
    : model_(model),
      order_(order),
      problem_(problem),
      equations_(equations),
      progress_(progress),
      per_unit_(1 / problem.cost_scale),
      b_(equations.room(1), 0.0F),
      x_(equations.room(1), 0.0F),
      look_at_(model.states, 0.0F) {}

void RoughValues::take(int state, int action) {
  b_[state] = static_cast<float>(problem_.cost[model_.choice_begin[state] + action] * per_unit_);
  equations_.take(state, action);
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
  left_ = static_cast<float>(std::accumulate(b_.begin(), b_.end(), 0.0) / model_.states);
  for (int s = 0; s < model_.states; ++s) x_[s] = b_[s] - left_;
}

/// Some sweeps. Returns how far values came apart in the last.
double RoughValues::settle() {
  float apart = 0;
  for (int i = 0; i < kFollow; ++i) {
    pulse(progress_, 0.0);
    apart = equations_.sweep(1, b_.data(), x_.data(), &left_);
    apart_ += static_cast<float>(model_.discount) * apart;
  }
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
  std::vector<float> options(order_.most_actions());
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

Matrix RoughValues::costs() const {
  Matrix result(1, model_.states);
  std::copy_n(x_.begin(), model_.states, result.data());
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
