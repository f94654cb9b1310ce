#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/state_visitor.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// What a learner has seen of a model along one direction: how often each transition happened. It knows
/// nothing of the others, and no probabilities. Nothing is allocated once it is made.
class Experience {
 public:
  /// Keeps a reference to the model.
  Experience(const TabularModel& model, const Vector& direction);

  /// An episode has begun in `state`.
  void begin(int state) { starts_[state] += 1; }
  /// `transition` of `choice`, a choice of `state`, has happened.
  void add(int state, int choice, int transition);

  void visit(StateVisitor& state);

  const TabularModel& model() const { return model_; }
  double visits(int choice) const { return visits_[choice]; }
  bool has_seen(int transition) const { return seen_[transition] > 0; }
  /// States in which something was done, in the order in which they were found.
  const std::vector<int>& states() const { return states_; }
  bool knows(int state) const { return known_[state] != 0; }
  /// Some choice has led to different things.
  bool is_random() const { return is_random_; }
  /// Of a single step so far; 0 before the first.
  double largest_cost() const { return largest_; }
  /// The same in size, and 1 as long as nothing has cost anything.
  double cost_scale() const { return scale_ > 0 ? scale_ : 1; }

  /// Over all visits of a choice that has some, the means of: the value of where it led; and of what it cost
  /// together with `discount` times that.
  double mean_ahead(int choice, const std::vector<double>& values) const;
  double mean_cost(int choice, double discount, const std::vector<double>& values) const;
  /// The mean of the values where episodes began.
  double mean_at_start(const std::vector<double>& values) const;

 private:
  const TabularModel& model_;
  Eigen::RowVectorXd cost_;   // of every transition; what was not seen is not read
  std::vector<double> seen_;  // by transition
  std::vector<double> visits_, starts_;
  std::vector<std::uint8_t> known_;
  std::vector<int> states_;
  bool is_random_ = false;
  double largest_ = 0, scale_ = 0;
};

inline double Experience::mean_ahead(int choice, const std::vector<double>& values) const {
  double sum = 0;
  for (int e = model_.transition_begin[choice]; e < model_.transition_begin[choice + 1]; ++e)
    sum += seen_[e] * values[model_.next[e]];
  return sum / visits_[choice];
}

inline double Experience::mean_cost(int choice, double discount, const std::vector<double>& values) const {
  double sum = 0;
  for (int e = model_.transition_begin[choice]; e < model_.transition_begin[choice + 1]; ++e)
    sum += seen_[e] * (cost_[e] + discount * values[model_.next[e]]);
  return sum / visits_[choice];
}

}  // namespace c2rl
