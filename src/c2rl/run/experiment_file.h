#pragma once

#include <string>
#include <vector>

#include "c2rl/run/experiment.h"

namespace c2rl {

/// What an experiment's directory says of itself, so that it can be read without the files it was made from: names,
/// claims and cells. Overrides and paths are not kept.
struct ExperimentFile {
  static constexpr const char* kName = "experiment.json";

  Experiment experiment;
  std::vector<Cell> cells;
};

void write_experiment_file(const ExperimentFile& file, const std::string& directory);
/// An InputError that names the file where it is missing, or is something else.
ExperimentFile read_experiment_file(const std::string& directory);

}  // namespace c2rl
