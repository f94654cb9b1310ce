#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/state_visitor.h"
#include "c2rl/mdp/environment.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/world_shape.h"

namespace c2rl {

/// What a learner has seen of a world with numbered states, along one direction: how often each choice led where. It
/// knows nothing else, and no probabilities. Choices are numbered as in a TabularModel. The end of an episode is a
/// place like a state, with the number states(). Nothing is allocated once it is made of a model.
class Experience {
 public:
  /// Of a model, to which it keeps a reference.
  Experience(const TabularModel& model, const Vector& direction);
  /// Of a world that `environment` acts in.
  Experience(const WorldShape& world, const Environment& environment, const Vector& direction);

  /// An episode has begun in `state`.
  void begin(int state) { starts_[state] += 1; }
  /// `transition` of `choice`, a choice of `state`, has happened in the model. What it measured along the direction.
  double add(int state, int choice, int transition);
  /// `choice` of `state` has led to `next` in the world, and measured so much; again, that along the direction.
  double add(int state, int choice, int next, const Vector& measured);

  void visit(StateVisitor& state);
  /// Takes up what was seen for any direction, of the same world. UnfitState where it is of another.
  void take_up(const Safetensors& seen);

  int states() const { return static_cast<int>(starts_.size()); }
  const std::vector<std::int32_t>& choice_begin() const { return choice_begin_; }
  int choices() const { return static_cast<int>(visits_.size()); }
  int actions(int state) const { return choice_begin_[state + 1] - choice_begin_[state]; }
  double discount() const { return discount_; }
  int horizon() const { return horizon_; }

  double visits(int choice) const { return visits_[choice]; }
  /// States in which something was done, in the order in which they were found.
  const std::vector<int>& known_states() const { return known_states_; }
  /// States that something led to, and in which nothing was done though there is something to do.
  std::vector<int> unknown_states() const;
  /// Some choice has led to different things.
  bool is_random() const { return is_random_; }
  /// Everything was tried wherever something led to.
  bool is_complete() const;
  double steps() const { return steps_; }
  /// Of a single step so far; 0 before the first.
  double largest_cost() const { return largest_; }
  /// The same in size, and 1 as long as nothing has cost anything.
  double cost_scale() const { return scale_ > 0 ? scale_ : 1; }

  /// Over all visits of a choice that has some, the means of: the value of where it led; and of what it cost
  /// together with `discount` times that. Values are of all states and of the end.
  double mean_ahead(int choice, const std::vector<double>& values) const;
  double mean_cost(int choice, const std::vector<double>& values) const;
  /// The mean of the values where episodes began.
  double mean_at_start(const std::vector<double>& values) const;

 private:
  /// The arrival of `choice` with that key, which may be new: those of a choice are linked in the order of their keys, so
  /// that sums do not depend on what was seen first.
  int arrival(int choice, int key, int next);
  void count(int state, int choice, int arrival, double cost);
  void note_cost(double cost, bool first);

  const TabularModel* model_ = nullptr;
  Vector direction_;
  double discount_;
  int horizon_;
  std::vector<std::int32_t> choice_begin_;
  Eigen::RowVectorXd model_cost_;  // of every transition of the model; what was not seen is not read
  // By arrival, a place that a choice led to:
  std::vector<double> seen_, cost_;  // how often; what that cost on average
  std::vector<int> next_, key_, link_;
  std::vector<double> outcome_;  // what it measured on average, in a world; m numbers each
  std::vector<int> first_;       // arrival by choice; -1: none
  std::vector<double> visits_, starts_;
  std::vector<std::uint8_t> known_;
  std::vector<int> known_states_;
  double steps_ = 0;
  bool is_random_ = false;
  double largest_ = 0, scale_ = 0;
};

inline double Experience::mean_ahead(int choice, const std::vector<double>& values) const {
  double sum = 0;
  for (int i = first_[choice]; i >= 0; i = link_[i]) sum += seen_[i] * values[next_[i]];
  return sum / visits_[choice];
}

inline double Experience::mean_cost(int choice, const std::vector<double>& values) const {
  double sum = 0;
  for (int i = first_[choice]; i >= 0; i = link_[i])
    sum += seen_[i] * (cost_[i] + discount_ * values[next_[i]]);
  return sum / visits_[choice];
}

}  // namespace c2rl
