#include "c2rl/oracle/replayed_policy.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace c2rl {
namespace {

/// An action must be better by this part of its value to take the place of another: more than rounding.
constexpr double kRounding = 1e-12;
/// A stationary policy that loses no more than this part of the value is preferred.
constexpr double kStationaryLoss = 1e-4;
/// Where nothing limits episodes and values do not settle: what was seen then has a loop without an end.
constexpr int kMostReplays = 10'000;

/// With fewer than `steps_to_go` steps to go, the state's action was another.
struct Change {
  int state, steps_to_go, action_below;
};

class Replay {
 public:
  Replay(const Experience& experience, double step_cost)
      : experience_(experience),
        choice_begin_(experience.choice_begin()),
        step_cost_(step_cost),
        worst_cost_(std::max(0.0, experience.largest_cost()) + step_cost),
        values_(experience.states() + 1, 0),
        ahead_(experience.states() + 1, 0),
        actions_(experience.states(), 0),
        decided_(experience.states(), 0),
        unknown_(experience.unknown_states()) {}

  /// Values with one more step to go, by the best actions or by the present ones. False when nothing moved.
  bool sweep(int steps_to_go, bool choosing) {
    std::swap(values_, ahead_);
    double moved = 0, largest = 0;
    const auto settle = [&](int state, double value) {
      values_[state] = value;
      moved = std::max(moved, std::abs(value - ahead_[state]));
      largest = std::max(largest, std::abs(value));
    };
    for (const int s : experience_.known_states()) {
      if (choosing) choose(s, steps_to_go);
      settle(s, value(choice_begin_[s] + actions_[s]));
    }
    // Nothing was tried where an episode was cut: it may be the worst.
    for (const int s : unknown_) settle(s, worst_cost_ + experience_.discount() * ahead_[s]);
    return moved > kRounding * largest;
  }

  /// Begins again with no steps to go, and keeps the actions.
  void rewind() { std::ranges::fill(values_, 0.0); }

  double value_at_start() const { return experience_.mean_at_start(values_); }
  std::shared_ptr<const TabularPolicy> stationary_policy() const {
    return TabularPolicy::deterministic(actions_);
  }

  std::shared_ptr<const TabularPolicy> time_dependent_policy(int horizon) const {
    // Time runs against the replays: each state's last action first.
    PolicyRuns runs;
    runs.begin.assign(experience_.states() + 1, 1);
    runs.begin[0] = 0;
    for (const Change& change : changes_) ++runs.begin[change.state + 1];
    for (int s = 0; s < experience_.states(); ++s) runs.begin[s + 1] += runs.begin[s];
    std::vector<std::int32_t> actions(runs.begin.back());
    runs.first_step.assign(runs.begin.back(), 0);
    std::vector<std::int32_t> place(runs.begin.begin(), runs.begin.end() - 1);
    for (int s = 0; s < experience_.states(); ++s) actions[place[s]++] = actions_[s];
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      runs.first_step[place[change->state]] = horizon - change->steps_to_go + 1;
      actions[place[change->state]++] = change->action_below;
    }
    return TabularPolicy::deterministic(actions, std::move(runs));
  }

 private:
  void choose(int state, int steps_to_go) {
    const int begin = choice_begin_[state], before = actions_[state];
    double bar = kInfinity;
    if (decided_[state]) {
      bar = value(begin + before);
      bar -= kRounding * std::max(1.0, std::abs(bar));
    }
    for (int k = begin; k < choice_begin_[state + 1]; ++k) {
      if (experience_.visits(k) == 0) continue;
      const double found = value(k);
      if (found >= bar) continue;
      bar = found;
      actions_[state] = k - begin;
    }
    if (decided_[state] && actions_[state] != before) changes_.push_back({state, steps_to_go, before});
    decided_[state] = 1;
  }

  double value(int choice) const { return step_cost_ + experience_.mean_cost(choice, ahead_); }

  const Experience& experience_;
  const std::vector<std::int32_t>& choice_begin_;
  double step_cost_, worst_cost_;
  std::vector<double> values_, ahead_;
  std::vector<std::int32_t> actions_;
  std::vector<std::uint8_t> decided_;
  std::vector<int> unknown_;  // states seen in which nothing was tried
  std::vector<Change> changes_;
};

}  // namespace

std::shared_ptr<const TabularPolicy> replayed_policy(const Experience& experience, int limit,
                                                     double step_cost, const std::function<void()>& report) {
  constexpr int kReplaysPerReport = 64;
  const int most = limit > 0 ? limit : kMostReplays;
  Replay replay(experience, step_cost);
  const auto value_of = [&](bool choosing) {
    for (int n = 1; n <= most; ++n) {
      if (n % kReplaysPerReport == 1) report();
      if (!replay.sweep(n, choosing)) break;
    }
    return replay.value_at_start();
  };
  const double best = value_of(true);
  const int horizon = experience.horizon();
  if (horizon == 0) return replay.stationary_policy();
  replay.rewind();
  if (value_of(false) <= best + kStationaryLoss * std::abs(best)) return replay.stationary_policy();
  return replay.time_dependent_policy(horizon);
}

}  // namespace c2rl
