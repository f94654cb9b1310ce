#pragma once

#include <string>
#include <vector>

#include "c2rl/mdp/model.h"

namespace c2rl {

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
