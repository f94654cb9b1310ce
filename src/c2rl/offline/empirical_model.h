#pragma once

#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/offline/dataset.h"

namespace c2rl {

/// What is known of a step that nothing was recorded of: each measurement is taken to be in the range seen in
/// the whole dataset, or zero, the episode having ended.
struct StepRange {
  Vector middle;
  Vector reach;  // from the middle to the ends of the range

  explicit StepRange(const Dataset& dataset);
  /// The middle and the reach of so many such steps, discounting counted in; where they are infinitely many,
  /// nothing is known: zero, and infinite where any step measured something.
  Vector middle_of(double steps) const;
  Vector reach_of(double steps) const;
};

/// The states that transitions of a dataset begin in, ascending. Their places here number them from 0;
/// ended() is the place of where an episode is over, unvisited() that of all states that were only ever
/// arrived at.
struct VisitedStates {
  std::vector<int> states;
  std::vector<int> place, next_place;  // of each transition

  explicit VisitedStates(const Dataset& dataset);
  int size() const { return static_cast<int>(states.size()); }
  int ended() const { return size(); }
  int unvisited() const { return size() + 1; }
};

/// The world that the transitions of a dataset show: for each state and action the outcomes and how often
/// they came about. A pair is state * actions + action, states being places among the visited ones.
class EmpiricalModel {
 public:
  /// Of all episodes, or of those whose index has this remainder on division by 2. In a deterministic world
  /// each outcome that was seen is the only one. Keeps a reference to `visited` and `range`.
  enum class Part { all, even, odd };
  EmpiricalModel(const Dataset& dataset, const VisitedStates& visited, const StepRange& range, Part part,
                 bool deterministic = false);

  const VisitedStates& visited() const { return visited_; }
  const StepRange& range() const { return range_; }
  int dim() const { return static_cast<int>(pair_mean_.rows()); }
  int states() const { return visited_.size(); }
  int actions() const { return actions_; }
  int pairs() const { return states() * actions_; }
  double discount() const { return discount_; }
  int horizon() const { return horizon_; }
  bool deterministic() const { return deterministic_; }

  /// How often the action was taken there; 0: nothing is known of it.
  int count(int pair) const { return pair_count_[pair]; }
  /// What it measured on average.
  auto mean(int pair) const { return pair_mean_.col(pair); }
  /// Its outcomes are first_outcome(pair) .. first_outcome(pair + 1) - 1.
  int first_outcome(int pair) const { return outcome_begin_[pair]; }
  int outcomes() const { return outcome_begin_.back(); }
  /// Where an outcome leads: a place.
  int next(int outcome) const { return next_[outcome]; }
  int outcome_count(int outcome) const { return outcome_count_[outcome]; }
  double probability(int outcome) const { return probability_[outcome]; }
  /// What was measured on average when it came about, and the sum of squared deviations from that.
  auto outcome_mean(int outcome) const { return outcome_mean_.col(outcome); }
  auto outcome_squares(int outcome) const { return outcome_squares_.col(outcome); }

  int episodes() const { return episodes_; }
  /// Episodes that began at each place, ended() included: those over where they began.
  const std::vector<int>& starts() const { return starts_; }

 private:
  const VisitedStates& visited_;
  const StepRange& range_;
  int actions_;
  double discount_;
  int horizon_;
  bool deterministic_;
  int episodes_ = 0;
  std::vector<int> starts_;
  std::vector<int> pair_count_;
  Matrix pair_mean_;
  std::vector<int> outcome_begin_;
  std::vector<int> next_, outcome_count_;
  std::vector<double> probability_;
  Matrix outcome_mean_, outcome_squares_;
};

/// The number of steps from `step` on, the first counting 1 and the others discounted, of an episode that
/// does not end before the horizon; 0: no horizon.
double steps_left(double discount, int horizon, int step);

/// Mean and spread of vectors, some counting several times (Welford). Equal ones have exactly no spread.
struct Moments {
  double count = 0;
  Vector mean, squares;  // the sum of squared deviations from the mean

  explicit Moments(int dim) : mean(Vector::Zero(dim)), squares(Vector::Zero(dim)) {}
  template <typename Value>
  void add(const Value& value, double times = 1) {
    if (times == 0) return;
    count += times;
    for (int i = 0; i < mean.size(); ++i) {
      const double before = value[i] - mean[i];
      mean[i] += before * (times / count);
      squares[i] += times * before * (value[i] - mean[i]);
    }
  }
  /// The variance of the mean; infinite where there is only one and no spread is known.
  Vector variance_of_mean() const {
    if (count < 2) return Vector::Constant(mean.size(), kInfinity);
    return squares.cwiseMax(0.0) / (count * (count - 1));
  }
};

}  // namespace c2rl
