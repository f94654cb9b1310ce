#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "c2rl/mdp/model.h"

namespace c2rl {

/// Probabilities and measurements of all transitions together: 8 GB, and as much again while a model is put together of
/// which nobody knows how large it becomes. Models in parts have this for each part.
inline constexpr double kMostModelNumbers = 1e9;

/// An InputError where a model of so many transitions and measurements would be larger than that.
void check_model_size(double transitions, double measurements);

/// Puts a model together in order: the transitions of a choice, the choices of a state, the states. A state
/// that is ended without a choice is terminal.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::vector<std::string> measurements);
  /// Room for so many; more may come.
  void reserve(std::int64_t choices, std::int64_t transitions);

  void add_transition(int next, double probability, const Vector& measurement);
  void end_choice();
  void end_state();

  int states() const { return model_.states; }

  /// The model, with its start probabilities; discount and horizon are left to the caller.
  TabularModel finish(Vector start) &&;

 private:
  TabularModel model_;  // whose measurement matrix has room for more columns than there are transitions
};

}  // namespace c2rl
