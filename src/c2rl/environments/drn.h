#pragma once

#include <string>
#include <string_view>

#include "c2rl/environments/model_ends.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/model_part.h"

namespace c2rl {

/// Storm's explicit model format, DRN ("direct encoding"), for MDPs and DTMCs without parameters.
///
/// - Every reward model is a measurement. A step measures the reward of the action taken plus that of the
///   state it was taken in, whatever the next state. Without a reward model there is nothing to measure: an
///   error.
/// - Label `init` marks the start; several such states are equally likely.
/// - Terminal are: states without actions, states all of whose actions stay there for certain with reward 0
///   (Storm's way to write an end), and states with the terminal label. What a terminal state would do or
///   earn is dropped.
/// - Probabilities printed with few digits (sum off by up to 1e-5) are rescaled to sum to 1. Action names and
///   comments carry nothing that is of use here.
///
/// The labels, but for `init`, are given to those who ask for them.
///
/// Discount and horizon are no part of the format: 1 and none. Anything malformed is an InputError with file,
/// line and reason.
TabularModel parse_drn(std::string_view text, const std::string& file, const ModelEnds& ends = {},
                       StateLabels* labels = nullptr);

ModelFileShape drn_shape(std::string_view text, const std::string& file);
/// Part `index` of `of` of the model, by the size of the text: the states that begin there. `reached` is not among the ends.
ModelPart parse_drn_part(std::string_view text, const std::string& file, const ModelEnds& ends, int index,
                         int of);

/// The model as DRN, readable by Storm. DRN has no rewards on transitions: a choice gets its expected
/// measurement, which leaves every policy's J as it is. Successors are written in ascending order, once each.
/// A model that is of this form already, and whose choices do not all stay in place for nothing, reads back
/// identical to the last bit. An InputError when DRN cannot say it: start states that are not equally likely,
/// white space in a name.
std::string to_drn(const TabularModel& model, const StateLabels& labels = {});

}  // namespace c2rl
