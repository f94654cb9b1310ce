#include "c2rl/planning/partitioned.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/parallel.h"

namespace c2rl {
namespace {

/// States that one thread goes through at a time.
constexpr int kGrain = 1 << 12;
/// Transitions ahead of the one at hand whose successors' values are asked of the memory: about as long as it takes.
constexpr int kAhead = 32;
/// Sweeps of the best policy so far between two that look at all choices: a fraction of the cost of one.
constexpr int kFollowing = 4;
/// Looks at all choices that may bring nothing before rounding is taken to be the cause.
constexpr int kIdle = 20;
/// As many terms as a compensated sum has, with the ranks' sums to add up: the same for all jobs of up to so many ranks, so
/// that their bounds are.
constexpr int kSummed = 1024;

/// Where each rank's states begin, and where the last one's end.
std::vector<std::int64_t> begins(const ModelPart& part, Ranks& ranks) {
  std::vector<double> begin(ranks.size() + 1, 0.0);
  begin[ranks.rank()] = static_cast<double>(part.first);
  begin.back() = static_cast<double>(part.states_in_all);
  ranks.take_largest(begin);
  std::optional<InputError> error;
  if (static_cast<double>(part.first + part.states()) != begin[ranks.rank() + 1])
    error = InputError(
        fmt::format("the part of rank {} has the states {} to {}, expected them to end before {}",
                    ranks.rank(), part.first, part.first + part.states() - 1, begin[ranks.rank() + 1]));
  if (part.horizon > 0)
    error = InputError({.field = "horizon"},
                       "found one, expected 0: a model in parts is planned on without a horizon");
  agree(ranks, error);
  return {begin.begin(), begin.end()};
}

}  // namespace

void PartitionedPlanner::Change::note(double before, double after) {
  least = std::min(least, after - before);
  most = std::max(most, after - before);
  size = std::max({size, std::abs(before), std::abs(after)});
}

void PartitionedPlanner::Change::merge(const Change& more) {
  least = std::min(least, more.least);
  most = std::max(most, more.most);
  size = std::max(size, more.size);
}

PartitionedPlanner::PartitionedPlanner(ModelPart part, Ranks& ranks)
    : part_(std::move(part)), ranks_(ranks), begin_(begins(part_, ranks)), halo_(part_.next, begin_, ranks) {
  std::vector<double> total = {part_.start.sum()};
  ranks_.add(total);
  if (part_.equal) part_.start /= total[0];
  for (int s = 0; s < part_.states(); ++s) {
    if (part_.start[s] > 0) start_.push_back(s);
  }
  constexpr double kSumTolerance = 1e-9;  // as of a model that one process holds
  if (!(total[0] > 0)) throw InputError("no state has a positive start probability");
  if (!part_.equal && std::abs(total[0] - 1) > kSumTolerance)
    throw InputError(fmt::format("the start probabilities sum to {:.12g}; expected 1", total[0]));
  ranks_.take_largest({part_.largest.data(), static_cast<std::size_t>(part_.dim())});
  find_steps();
}

/// Where all of it is discounted and nothing ends, both follow from the discount; else how many steps there can be at most
/// is found by sweeps: W is enough for all where W >= 1 + P W. If P W is off by r < 1 from that, W / (1 - r) is.
void PartitionedPlanner::find_steps() {
  double entries = 0, least = kInfinity, most = 0, ends = 0;
  for (int s = 0; s < part_.states(); ++s) {
    if (part_.choice_begin[s] == part_.choice_begin[s + 1]) ends = 1;
    for (int k = part_.choice_begin[s]; k < part_.choice_begin[s + 1]; ++k) {
      double sum = 0;
      for (int e = part_.transition_begin[k]; e < part_.transition_begin[k + 1]; ++e)
        sum += part_.probability[e];
      entries = std::max(entries, double(part_.transition_begin[k + 1] - part_.transition_begin[k]));
      least = std::min(least, sum);
      most = std::max(most, sum);
    }
  }
  std::vector<double> all = {entries, -least, most, ends};
  ranks_.take_largest(all);
  branching_ = static_cast<int>(all[0]);
  const double rounded = kEpsilon * (branching_ + 2);
  const double kept = part_.discount * all[2] * (1 + rounded);
  if (kept < 1) {
    most_steps_ = (1 + rounded) / (1 - kept);
    least_steps_ = all[3] > 0 ? 0 : (1 - rounded) / (1 - part_.discount * -all[1] * (1 - rounded));
    return;
  }
  constexpr double kNearEnough = 0.05;
  constexpr int kMostSweeps = 100'000;
  const std::vector<double> cost(part_.choices(), -1.0);
  std::vector<std::int32_t> actions(part_.states(), 0);
  begin(1);
  for (int sweeps = 0;; ++sweeps) {
    const double before = -at_start(1, 0);
    Change change = improve(cost, actions);
    agree_on({&change, 1}, {}, 0);
    const double off = -change.least + rounding(1, change.size);
    if (change.least == kInfinity || off <= kNearEnough) {
      most_steps_ =
          before / (1 - std::min(off, kNearEnough)) * (1 + kEpsilon * std::max(kSummed, ranks_.size()));
      return;
    }
    if (sweeps == kMostSweeps) {
      throw InputError({.field = "discount"},
                       fmt::format("after {} steps an episode from some state may still go on, under some "
                                   "policy; expected all to end, or a discount below 1",
                                   sweeps));
    }
  }
}

void PartitionedPlanner::begin(int width) {
  values_.assign(static_cast<std::size_t>(halo_.places()) * width, 0.0);
  updated_.assign(values_.size(), 0.0);
}

/// By compensated sums: many states may be starts.
double PartitionedPlanner::at_start(int width, int i) const {
  double sum = 0, lost = 0;
  for (const std::int32_t s : start_) {
    const double term = part_.start[s] * values_[std::size_t(s) * width + i] - lost;
    const double more = sum + term;
    lost = (more - sum) - term;
    sum = more;
  }
  ranks_.add({&sum, 1});
  return sum;
}

/// A look at every choice: values become those of the best of each state.
PartitionedPlanner::Change PartitionedPlanner::improve(const std::vector<double>& cost,
                                                       std::vector<std::int32_t>& actions) {
  Change change;
  std::mutex mutex;
  const double* const values = values_.data();
  for_ranges_parallel(part_.states(), kGrain, [&](int first, int last) {
    Change own;
    const std::int32_t* const next = part_.next.data();
    const double* const probability = part_.probability.data();
    const int ahead_of = static_cast<int>(part_.next.size()) - kAhead;
    for (int s = first; s < last; ++s) {
      const int begin = part_.choice_begin[s], end = part_.choice_begin[s + 1];
      if (begin == end) continue;  // terminal: 0
      double best = kInfinity;
      int action = 0;
      int e = part_.transition_begin[begin];
      for (int k = begin; k < end; ++k) {
        double ahead = 0;
        for (const int stop = part_.transition_begin[k + 1]; e < stop; ++e) {
          if (e < ahead_of) __builtin_prefetch(values + next[e + kAhead]);
          ahead += probability[e] * values[next[e]];
        }
        const double value = cost[k] + part_.discount * ahead;
        // Which one is the best cannot be foreseen: no branches.
        action = value < best ? k - begin : action;
        best = std::min(best, value);
      }
      own.note(values[s], best);
      updated_[s] = best;
      actions[s] = action;
    }
    const std::lock_guard lock(mutex);
    change.merge(own);
  });
  values_.swap(updated_);
  halo_.refresh(values_, 1);
  return change;
}

void PartitionedPlanner::pack(const double* amount, int width, const std::vector<std::int32_t>& actions) {
  const int states = part_.states();
  rows_.begin.assign(std::size_t(states) + 1, 0);
  const auto choice = [&](int s) { return part_.choice_begin[s] + actions[s]; };
  const auto is_terminal = [&](int s) { return part_.choice_begin[s] == part_.choice_begin[s + 1]; };
  for (int s = 0; s < states; ++s) {
    const int count =
        is_terminal(s) ? 0 : part_.transition_begin[choice(s) + 1] - part_.transition_begin[choice(s)];
    rows_.begin[s + 1] = rows_.begin[s] + count;
  }
  rows_.next.resize(rows_.begin.back());
  rows_.probability.resize(rows_.begin.back());
  rows_.amount.resize(std::size_t(states) * width);
  for_ranges_parallel(states, kGrain, [&](int first, int last) {
    for (int s = first; s < last; ++s) {
      if (is_terminal(s)) continue;
      const int from = part_.transition_begin[choice(s)], count = rows_.begin[s + 1] - rows_.begin[s];
      std::copy_n(part_.next.begin() + from, count, rows_.next.begin() + rows_.begin[s]);
      std::copy_n(part_.probability.begin() + from, count, rows_.probability.begin() + rows_.begin[s]);
      std::copy_n(amount + std::ptrdiff_t{choice(s)} * width, width,
                  rows_.amount.begin() + std::ptrdiff_t{s} * width);
    }
  });
}

/// A sweep of the policy that is packed.
template <int kWidth>
void PartitionedPlanner::follow(std::span<Change> changes) {
  const int width = kWidth > 0 ? kWidth : static_cast<int>(changes.size());
  std::mutex mutex;
  for_ranges_parallel(part_.states(), kGrain, [&](int first, int last) {
    std::vector<Change> own(width);
    std::vector<double> more(kWidth > 0 ? 0 : width);
    double few[kWidth > 0 ? kWidth : 1];
    double* const ahead = kWidth > 0 ? few : more.data();
    const double* const values = values_.data();
    const std::int32_t* const next = rows_.next.data();
    const int ahead_of = static_cast<int>(rows_.next.size()) - kAhead;
    for (int s = first; s < last; ++s) {
      if (rows_.begin[s] == rows_.begin[s + 1]) continue;
      for (int i = 0; i < width; ++i) ahead[i] = 0;
      for (int e = rows_.begin[s]; e < rows_.begin[s + 1]; ++e) {
        if (e < ahead_of) __builtin_prefetch(values + std::ptrdiff_t{next[e + kAhead]} * width);
        const double* const from = values + std::ptrdiff_t{next[e]} * width;
        for (int i = 0; i < width; ++i) ahead[i] += rows_.probability[e] * from[i];
      }
      for (int i = 0; i < width; ++i) {
        const std::size_t at = std::size_t(s) * width + i;
        updated_[at] = rows_.amount[at] + part_.discount * ahead[i];
        own[i].note(values[at], updated_[at]);
      }
    }
    const std::lock_guard lock(mutex);
    for (int i = 0; i < width; ++i) changes[i].merge(own[i]);
  });
  values_.swap(updated_);
  halo_.refresh(values_, width);
}

void PartitionedPlanner::follow(std::span<Change> changes) {
  switch (changes.size()) {
    case 1:
      return follow<1>(changes);
    case 2:
      return follow<2>(changes);
    case 3:
      return follow<3>(changes);
    case 4:
      return follow<4>(changes);
    default:
      return follow<0>(changes);
  }
}

/// Over all ranks; and whether to go on.
void PartitionedPlanner::agree_on(std::span<Change> changes, const Progress& progress, double part) const {
  std::exception_ptr thrown;
  try {
    if (ranks_.is_first()) pulse(progress, part);
  } catch (...) {
    thrown = std::current_exception();
  }
  std::vector<double> all = {thrown ? 1.0 : 0.0};
  for (const Change& change : changes) all.insert(all.end(), {-change.least, change.most, change.size});
  ranks_.take_largest(all);
  if (thrown) std::rethrow_exception(thrown);
  if (all[0] > 0) throw PlanningStopped();
  for (std::size_t i = 0; i < changes.size(); ++i)
    changes[i] = {-all[3 * i + 1], all[3 * i + 2], all[3 * i + 3]};
}

/// What the arithmetic of one state may be off by, from choices that measure up to `scale` and values up to `size`.
double PartitionedPlanner::rounding(double scale, double size) const {
  return kEpsilon * (2 * branching_ + part_.dim() + 8) * (scale + size);
}

PartitionedPlanner::Bracket PartitionedPlanner::bracket(double value, const Change& change,
                                                        double off) const {
  if (change.least == kInfinity) return {value, value};  // all states are terminal
  const double least = change.least - off, most = change.most + off;
  const double summed = kEpsilon * std::max(kSummed, ranks_.size()) * change.size;
  return {value + least * (least < 0 ? most_steps_ : least_steps_) - summed,
          value + most * (most > 0 ? most_steps_ : least_steps_) + summed};
}

/// What the policy measures from the start. `price`: what an error of 1 in every measurement is worth.
void PartitionedPlanner::measure(double price, double goal, Answer& answer, const Progress& progress) {
  const int m = dim();
  begin(m);
  pack(part_.expected.data(), m, answer.actions);
  answer.error = kInfinity;
  for (int idle = 0; idle < kIdle && price * answer.error > goal; ++idle) {
    Vector before(m), middle(m);
    for (int i = 0; i < m; ++i) before[i] = at_start(m, i);
    std::vector<Change> changes(m);
    follow(changes);
    ++answer.policy_sweeps;
    agree_on(changes, progress, 0.9);
    double error = 0;
    for (int i = 0; i < m; ++i) {
      const Bracket found = bracket(before[i], changes[i], rounding(part_.largest[i], changes[i].size));
      middle[i] = (found.lower + found.upper) / 2;
      error = std::max(error, found.width() / 2 + kEpsilon * std::abs(middle[i]));
    }
    if (error >= answer.error) continue;
    answer.error = error;
    answer.measurement = middle;
    idle = -1;
  }
}

PartitionedPlanner::Answer PartitionedPlanner::minimise(const Vector& direction, double gap,
                                                        const Progress& progress) {
  std::vector<double> cost(part_.choices());
  for (int k = 0; k < part_.choices(); ++k) cost[k] = direction.dot(part_.expected.col(k));
  const double scale = direction.cwiseAbs().dot(part_.largest);
  Answer answer;
  answer.actions.assign(part_.states(), 0);
  answer.lower_bound = -kInfinity;
  begin(1);
  double least_width = kInfinity, first_width = 0, goal = 0;
  for (int idle = 0; idle < kIdle; ++idle) {
    const double before = at_start(1, 0);
    Change change = improve(cost, answer.actions);
    ++answer.sweeps;
    const double done =
        first_width > 0 ? std::log(first_width / least_width) / std::log(first_width / goal) : 0;
    agree_on({&change, 1}, progress, 0.8 * std::clamp(done, 0.0, 1.0));
    const Bracket found = bracket(before, change, rounding(scale, change.size));
    answer.lower_bound = std::max(answer.lower_bound, found.lower);
    goal = gap / 2 * std::max(scale, change.size);
    const double width = found.upper - answer.lower_bound;
    if (first_width == 0) first_width = width;
    if (width < least_width) idle = -1;
    least_width = std::min(least_width, width);
    if (width <= goal) break;
    pack(cost.data(), 1, answer.actions);
    for (int i = 0; i < kFollowing; ++i) {
      Change ignored;
      follow({&ignored, 1});
      ++answer.policy_sweeps;
    }
  }
  const double price = direction.lpNorm<1>();
  measure(price > 0 ? price : 1, goal / 2, answer, progress);
  return answer;
}

std::vector<std::int32_t> PartitionedPlanner::gather(const std::vector<std::int32_t>& actions) const {
  std::vector<std::string> outgoing(ranks_.size());
  outgoing[0].assign(reinterpret_cast<const char*>(actions.data()), actions.size() * sizeof(actions[0]));
  std::vector<std::int32_t> all;
  for (const std::string& bytes : ranks_.exchange(outgoing)) append_numbers(bytes, all);
  return all;
}

}  // namespace c2rl
