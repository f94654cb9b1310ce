#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "c2rl/base/vector.h"

namespace c2rl {

/// How far from 1 the probabilities of a choice, or of the start, may sum to.
inline constexpr double kProbabilitySumTolerance = 1e-9;

/// A vector MDP with finitely many states, stored sparsely and flat.
///
/// State s owns the choices choice_begin[s] .. choice_begin[s + 1] - 1 (its actions, in order); choice k owns
/// the transitions transition_begin[k] .. transition_begin[k + 1] - 1. A state without choices is terminal:
/// the episode ends on entering it. Taking transition e leads to next[e] with probability[e] and measures
/// column e of `measurement`.
struct TabularModel {
  int states = 0;
  std::vector<std::string> measurements;  // their names; m of them
  std::vector<std::int32_t> choice_begin = {0};
  std::vector<std::int32_t> transition_begin = {0};
  std::vector<std::int32_t> next;
  std::vector<double> probability;
  Matrix measurement;  // m x transitions
  Vector start;        // probability of starting in each state
  double discount = 1.0;
  int horizon = 0;  // episodes are cut after this many steps; 0: never

  int dim() const { return static_cast<int>(measurements.size()); }
  int choices() const { return static_cast<int>(choice_begin.back()); }
  int transitions() const { return static_cast<int>(transition_begin.back()); }
  int actions(int state) const { return choice_begin[state + 1] - choice_begin[state]; }
  int max_actions() const;
  bool is_terminal(int state) const { return actions(state) == 0; }
  /// The transitions of all choices of a state begin here, and end before first_transition(state + 1).
  int first_transition(int state) const { return transition_begin[choice_begin[state]]; }
};

/// Throws an InputError that says what is wrong, and where, unless everything below may rely on: array sizes
/// and ranges; probabilities that sum to 1 for every choice and at the start; finite measurements; a discount
/// in (0, 1]; and, without discount and horizon, that every policy ends. Call it once, after building a
/// model.
void validate(const TabularModel& model);

/// The states that some policy visits.
std::vector<bool> reachable_states(const TabularModel& model);

/// A reachable state from which some policy never ends, if there is one.
std::optional<int> endless_state(const TabularModel& model);

}  // namespace c2rl
