#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// Where the episodes of a model that comes from a file end, besides states without actions and states all of whose
/// actions stay there for certain with reward 0, which is how other tools write an end.
struct ModelEnds {
  std::string terminal_label = {};  // empty: none
  /// Measure also, as "reached", whether an episode ended in a state with the terminal label; without one, in
  /// any terminal state. A model without rewards then has something to measure.
  bool reached = false;
};

/// What a file calls some of its states. A model has no place for it.
using StateLabels = std::map<std::string, std::vector<int>, std::less<>>;

/// What a file says of a model before all else.
struct ModelFileShape {
  int states = 0;
  std::vector<std::string> measurements;
};

/// Six significant digits, the least that tools print, leave a sum of probabilities within 5e-6 of 1; larger errors are
/// refused, smaller ones rescaled.
inline constexpr double kPrintedSumTolerance = 1e-5;
/// Sums this close to 1 are left alone, bit by bit.
inline constexpr double kExactSumTolerance = 1e-9;

/// An InputError where a model with these rewards and ends has nothing to measure, or two measurements of one name.
void check_measurements(const std::vector<std::string>& rewards, const ModelEnds& ends, const Place& place);

/// The states with a label, none for the empty one; an InputError says which labels there are instead of it.
const std::vector<int>& states_labelled(const StateLabels& labels, const std::string& label,
                                        const std::string& file);

/// Adds the measurement `reached`: a step into a state that is labelled; if none is, into any terminal one.
void measure_reached(TabularModel& model, const std::vector<int>& labelled);

}  // namespace c2rl
