#pragma once

#include <string>
#include <vector>

#include "c2rl/mdp/model.h"

namespace c2rl {

/// Probabilities and measurements of all transitions together: 2 GB, and as much again while a model is put together.
inline constexpr double kMostModelNumbers = 250e6;

/// An InputError where a model of so many transitions and measurements would be larger than that.
void check_model_size(double transitions, double measurements);

/// Puts a model together in order: the transitions of a choice, the choices of a state, the states. A state
/// that is ended without a choice is terminal.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::vector<std::string> measurements);

  void add_transition(int next, double probability, const Vector& measurement);
  void end_choice();
  void end_state();

  int states() const { return model_.states; }

  /// The model, with its start probabilities; discount and horizon are left to the caller.
  TabularModel finish(Vector start) &&;

 private:
  TabularModel model_;
  std::vector<double> amounts_;  // the measurement matrix, column after column
};

}  // namespace c2rl
