#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "c2rl/mdp/model.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

/// The order in which values are best computed, whatever things cost: the states that can be reached and are
/// not terminal, in strongly connected components, each after all that it leads to. Where a component has ways
/// out, those nearest to them come first, so that a sweep carries news from there all through it; else they
/// come as they are stored.
class StateOrder {
 public:
  explicit StateOrder(const TabularModel& model, const Pulse& listener = {});

  int size() const { return static_cast<int>(states_.size()); }
  int components() const { return static_cast<int>(begin_.size()) - 1; }
  std::span<const std::int32_t> states() const { return states_; }
  std::span<const std::int32_t> component(int c) const {
    return states().subspan(begin_[c], begin_[c + 1] - begin_[c]);
  }
  /// Some choice leads out of the component.
  bool has_exit(int c) const { return has_exit_[c]; }
  /// Some policy ends an episode.
  bool ends() const { return ends_; }
  /// The most transitions of a choice.
  int branching() const { return branching_; }
  /// The most choices of a state.
  int most_actions() const { return most_actions_; }
  /// For every state an action that leads nearer to a way out of its component, where it has any; else 0.
  const std::vector<std::int32_t>& outwards() const { return outwards_; }

  /// Where the model's choices and transitions are found; `of(place, state)` is the row of the state at a place of the order.
  struct Rows {
    const std::int32_t *choice_begin, *transition_begin, *next;
    const double* probability;
    bool by_place;
    int of(std::size_t place, int state) const { return by_place ? static_cast<int>(place) : state; }
  };
  /// In this order: who goes through the states in it reads on and on. The model's own where that is the same.
  Rows rows(const TabularModel& model) const;
  /// Where the component begins among the states.
  int place(int c) const { return begin_[c]; }

 private:
  void copy_rows(const TabularModel& model);

  std::vector<std::int32_t> states_, begin_ = {0};
  std::vector<std::int32_t> outwards_;
  std::vector<bool> has_exit_;  // of components
  bool ends_ = false;
  int branching_ = 0, most_actions_ = 0;
  // The model's in this order; empty: its own are.
  std::vector<std::int32_t> choice_begin_, transition_begin_, next_;
  std::vector<double> probability_;
};

}  // namespace c2rl
