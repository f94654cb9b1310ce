#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// Some of the states of a model, one after the other, and all that they do: what one rank has of a model that no process
/// holds the whole of. Stored as in TabularModel, but that choices have what they measure, expected, and not transitions.
struct ModelPart {
  std::int64_t states_in_all = 0;         // of the whole model, below 2^31
  std::int64_t first = 0;                 // of these states, in the whole model
  std::vector<std::string> measurements;  // their names; m of them
  std::vector<std::int32_t> choice_begin = {0};
  std::vector<std::int32_t> transition_begin = {0};
  std::vector<std::int32_t> next;  // in the whole model
  std::vector<double> probability;
  Matrix expected;     // m x choices
  Vector largest;      // the largest of each measurement, absolutely, of all transitions
  Vector start;        // of each of these states; see below
  bool equal = false;  // `start` is 1 for some states, in all parts together, which are equally likely
  double discount = 1;
  int horizon = 0;

  int states() const { return static_cast<int>(choice_begin.size()) - 1; }
  int dim() const { return static_cast<int>(measurements.size()); }
  int choices() const { return choice_begin.back(); }
};

/// A part from its states, stored as a model is but that `next` is in the whole one, which has so many states; the first of
/// these is number `first` there.
ModelPart part_of(const TabularModel& states, std::int64_t first, std::int64_t states_in_all);
/// The states from `begin` to before `end` of a model that is there, as a part of it.
ModelPart slice(const TabularModel& model, int begin, int end);

/// An InputError unless planning may rely on what a part says by itself: probabilities that sum to 1, successors that exist,
/// finite measurements.
void validate(const ModelPart& part);

}  // namespace c2rl
