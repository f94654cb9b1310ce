#pragma once

#include <string>

#include "c2rl/environments/model_ends.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// A model in a file: DRN (drn.h) or UMB (umb.h), told apart by what they hold.
TabularModel read_model_file(const std::string& path, const ModelEnds& ends = {},
                             StateLabels* labels = nullptr);

/// An InputError unless the name of a file says in which form a model is to be written there: .drn or .umb.
void check_model_file_name(const std::string& path);
void write_model_file(const TabularModel& model, const std::string& path, const StateLabels& labels = {});

}  // namespace c2rl
