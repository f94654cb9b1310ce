#include "c2rl/planning/rough_values.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

constexpr float kSingle = std::numeric_limits<float>::epsilon();

/// Sweeps before a look for better actions: a look at all choices of all states costs as much as several, and finds more
/// where values are nearer to their end.
constexpr int kFollow = 3;

/// States that are looked at by one thread, at least; how far ahead what they need is asked for, and how many transitions come
/// with one line of the cache, at most; and how many are decided together, once all that they need has been gathered: no
/// decision can be foreseen, and the processor asks for no more while it finds out.
constexpr int kBlock = 4096, kAhead = 16, kPerLine = 8, kTogether = 64;

/// Moves of costs over these sweeps, in units of the largest, at which single precision has said what it can.
constexpr double kRough = 3e-6;

/// The most sweeps that it may take to get there, as far as one can see.
constexpr double kMostSweeps = 100;

/// In these units: choices that are nearer to each other than this may be in the wrong order.
constexpr float kDoubt = 1e-4F;

/// An action is given up for one that is better by more than so many roundings.
constexpr float kBetter = 4;

}  // namespace

RoughValues::RoughValues(const TabularModel& model, const StateOrder& order, const ScalarProblem& problem,
                         Vector weight, Refinement& values, const Progress& progress)
    : model_(model),
      order_(order),
      problem_(problem),
      weight_(std::move(weight)),
      equations_(values.equations()),
      swept_(values.swept()),
      progress_(progress),
      per_unit_(1 / problem.cost_scale),
      cost_(model.states, 0.0F),
      look_at_(model.states, 0.0F) {}

void RoughValues::take(int state, int action) {
  equations_.take(state, action);
  if (weight_.size() == 0) {
    swept_.b[state] = static_cast<float>(problem_.cost[model_.choice_begin[state] + action] * per_unit_);
    return;
  }
  for (Eigen::Index j = 0; j < weight_.size(); ++j)
    swept_.b[state * weight_.size() + j] = static_cast<float>(equations_.measured()(j, state));
}

void RoughValues::start(std::vector<std::int32_t>& actions, bool cold) {
  const int n = systems();
  const std::ptrdiff_t numbers = std::ptrdiff_t{n} * model_.states;
  // A look at what costs least now and in a step, while rows cost nothing to change.
  if (cold) {
    for (int s = 0; s < model_.states; ++s) {
      const auto first = problem_.cost.begin() + model_.choice_begin[s];
      const auto least = std::min_element(first, problem_.cost.begin() + model_.choice_begin[s + 1]);
      actions[s] = static_cast<std::int32_t>(least - first);
      cost_[s] = static_cast<float>(*least * per_unit_);
    }
    with_entries(order_.branching(), [&](auto entries) { return look<entries()>(actions); });
  }
  take_all(actions);
  // What every step has in common is left out from the beginning.
  std::vector<double> sum(n, 0.0);
  for (std::ptrdiff_t i = 0; i < numbers; i += n) {
    for (int j = 0; j < n; ++j) sum[j] += static_cast<double>(swept_.b[i + j]);
  }
  for (int j = 0; j < n; ++j) swept_.left[j] = static_cast<float>(sum[j] / model_.states);
  for (std::ptrdiff_t i = 0; i < numbers; i += n) {
    for (int j = 0; j < n; ++j) swept_.x[i + j] = swept_.b[i + j] - swept_.left[j];
  }
}

void RoughValues::take_all(const std::vector<std::int32_t>& actions) {
  laid_out_ = true;
  for (int s = 0; s < model_.states; ++s) take(s, actions[s]);
}

/// A look at what lies ahead, which lays rows out while a state's choices are at hand. Equations that are solved but for what all
/// states have in common are all off by the same: that is left out. It must be that of the actions as they are then, since a
/// sweep that goes block by block makes differences of what is common.
void RoughValues::start_from(std::vector<std::int32_t>& actions, std::span<const float> ahead) {
  constexpr int kSome = 16384;
  const int n = systems(), some = std::min(kSome, model_.states);
  std::ranges::copy(ahead, swept_.x.begin());
  with_systems(n, [&](auto known) { return combine<known()>(); });
  laid_out_ = true;
  with_entries(order_.branching(), [&](auto entries) { return look<entries()>(actions); });
  take_all(actions);
  std::vector<double> sum(n, 0.0);
  for (int i = 0; i < some; ++i) {
    const auto s = static_cast<std::ptrdiff_t>(std::int64_t{i} * model_.states / some);
    for (int j = 0; j < n; ++j)
      sum[j] += static_cast<double>(swept_.b[s * n + j]) - static_cast<double>(swept_.x[s * n + j]);
    equations_.for_each_entry(static_cast<int>(s), [&](int next, double factor) {
      for (int j = 0; j < n; ++j)
        sum[j] += factor * static_cast<double>(swept_.x[std::ptrdiff_t{next} * n + j]);
    });
  }
  for (int j = 0; j < n; ++j) swept_.left[j] = static_cast<float>(sum[j] / some);
}

/// Some sweeps. Returns how far costs came apart: the largest difference of what two of them changed by.
double RoughValues::settle() {
  for (int i = 0; i < kFollow; ++i) {
    pulse(progress_, 0.0);
    equations_.sweep(systems(), swept_.b.data(), swept_.x.data(), swept_.left.data());
  }
  const double apart = with_systems(systems(), [&](auto known) { return combine<known()>(); });
  apart_ += static_cast<float>(model_.discount * apart);
  ++settled_;
  return apart;
}

/// From what lies ahead to what that costs.
template <int kSystems>
double RoughValues::combine() {
  const int n = kSystems > 0 ? kSystems : systems();
  const Eigen::VectorXf weight =
      weight_.size() == 0 ? Eigen::VectorXf::Ones(1).eval() : weight_.cast<float>().eval();
  // By place among sixteen states, which the processor can do at once.
  constexpr int kLanes = SlicedRows::kLanes;
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  std::array<float, kLanes> up, down, sum, size;
  up.fill(-kInfinite);
  down.fill(kInfinite);
  sum.fill(0);
  size.fill(largest_);
  const auto combine_state = [&](std::ptrdiff_t s, int lane) {
    float cost = 0;
    for (int j = 0; j < n; ++j) cost += weight[j] * swept_.x[s * n + j];
    const float move = cost - cost_[s];
    cost_[s] = cost;
    up[lane] = up[lane] > move ? up[lane] : move;
    down[lane] = down[lane] < move ? down[lane] : move;
    sum[lane] += move;
    size[lane] = std::abs(cost) > size[lane] ? std::abs(cost) : size[lane];
  };
  const int whole = model_.states / kLanes * kLanes;
  for (int first = 0; first < whole; first += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) combine_state(first + lane, lane);
  }
  for (int s = whole; s < model_.states; ++s) combine_state(s, s - whole);
  largest_ = *std::ranges::max_element(size);
  // Where some move is no number, neither is their sum, and nothing is known.
  if (!std::isfinite(std::accumulate(sum.begin(), sum.end(), 0.0F))) return kInfinity;
  return static_cast<double>(*std::ranges::max_element(up) - *std::ranges::min_element(down));
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
  const float* const ahead = cost_.data();
  const int most = order_.most_actions();
  std::vector<float> options(std::size_t{kTogether} * most);
  std::vector<std::int32_t> open(end - begin + kAhead);
  int count = 0, changed = 0;
  for (int s = begin; s < end; ++s) {
    open[count] = s;
    count += !(look_at_[s] > apart_);
  }
  std::fill_n(open.begin() + count, kAhead, open[0]);
  for (int group = 0; group < count; group += kTogether) {
    const int last = std::min(count, group + kTogether);
    for (int i = group; i < last; ++i) {
      // Where few are open, what they need comes from far apart.
      const int soon = choice_begin[open[i + kAhead]];
      __builtin_prefetch(cost + soon);
      for (int e = transition_begin[soon]; e < transition_begin[choice_begin[open[i + kAhead] + 1]];
           e += kPerLine) {
        __builtin_prefetch(next + e);
        __builtin_prefetch(probability + e);
      }
      const int s = open[i], first = choice_begin[s], choices = choice_begin[s + 1] - first;
      float* const of_state = options.data() + std::ptrdiff_t{i - group} * most;
      std::ptrdiff_t at = transition_begin[first];
      for (int a = 0; a < choices; ++a) {
        float sum = 0;
        const int entries = transition_begin[first + a + 1] - transition_begin[first + a];
        for_entries<kEntries>(
            entries, [&](int e) { sum += static_cast<float>(probability[at + e]) * ahead[next[at + e]]; });
        at += entries;
        of_state[a] = static_cast<float>(cost[first + a] * per_unit_) + discount * sum;
      }
    }
    for (int i = group; i < last; ++i) {
      const int s = open[i];
      changed += decide(options.data() + std::ptrdiff_t{i - group} * most,
                        choice_begin[s + 1] - choice_begin[s], s, actions[s]);
    }
  }
  return changed;
}

/// Takes the best of a state's options, unless the present one is as good. Returns whether it has changed. Which is the best is
/// asked only then: nobody could foresee it.
bool RoughValues::decide(const float* options, int count, int state, std::int32_t& action) {
  float least = std::numeric_limits<float>::infinity(), second = least;
  for (int a = 0; a < count; ++a) {
    second = std::min(second, std::max(least, options[a]));
    least = std::min(least, options[a]);
  }
  const float present = options[action];
  const bool changes = present > least + kBetter * kSingle * (std::abs(least) + 1);
  look_at_[state] = apart_ + (changes || present == least ? second - least : least - present);
  if (changes) action = static_cast<std::int32_t>(std::find(options, options + count, least) - options);
  if (laid_out_ && equations_.action(state) != action) take(state, action);
  return changes;
}

bool RoughValues::minimise(std::vector<std::int32_t>& actions, bool cold, std::span<const float> ahead) {
  if (!find_actions(actions, cold, ahead)) return false;
  for (int s = 0; s < model_.states; ++s) {
    if (!(look_at_[s] > apart_ + kDoubt)) doubtful_.push_back(s);
  }
  return true;
}

bool RoughValues::find_actions(std::vector<std::int32_t>& actions, bool cold, std::span<const float> ahead) {
  const auto look_around = [&] {
    pulse(progress_, 0.0);
    return with_entries(order_.branching(), [&](auto entries) { return look<entries()>(actions); });
  };
  if (ahead.empty()) {
    start(actions, cold);
  } else {
    start_from(actions, ahead);
  }
  double last = kInfinity;
  for (int round = 0;; ++round) {
    const double apart = settle();
    if (!std::isfinite(apart)) return false;
    const int changed = look_around();
    if (changed == 0 && apart <= kRough) return true;
    // The first rounds find a policy, and say little of how fast its values settle.
    if (round < 2) continue;
    const double decay = std::log(last / apart) / kFollow;
    // Where rounding keeps values moving, that may be all there is to be had.
    if (!(decay > 0) || std::log(apart / kRough) > decay * kMostSweeps) return apart <= kDoubt;
    last = apart;
  }
}

/// Let a choice have seemed worse than the action by g when values were V. With V + D it is worse by g, less the difference of
/// two expectations of discounted D. Of D, what all states have in common counts only as far as probabilities do not sum to
/// 1; the rest is what values have come apart since.
bool RoughValues::hold_with(const std::vector<double>& value) const {
  double up = -kInfinity, down = kInfinity, sum = 0;
  for (int s = 0; s < model_.states; ++s) {
    const double beyond = value[s] * per_unit_ - static_cast<double>(cost_[s]);
    up = std::max(up, beyond);
    down = std::min(down, beyond);
    sum += beyond;
  }
  if (!std::isfinite(sum)) return false;
  const double common = std::max(std::abs(up), std::abs(down)) + 2 * largest_;
  const double apart = model_.discount * (up - down + 2 * kProbabilitySumTolerance * (common + apart_));
  // Of two options in a look: their entries, times the discount, and the cost, in single precision. Of how far values came
  // apart, each time: moves, their discounted difference, and adding it up.
  const double of_a_look = (order_.branching() + 5) * (1.0 + largest_);
  const double of_moves = (settled_ + 4) * (1.0 + apart_ + 2 * largest_);
  const double rounding = kSingle * (of_a_look + of_moves) + kEpsilon * 4 * (common + 1);
  // Equal are values that differ by less than rounding should explain.
  const double equal = kTieTolerance * (common + 1);
  return apart + rounding + equal < kDoubt;
}

}  // namespace c2rl
