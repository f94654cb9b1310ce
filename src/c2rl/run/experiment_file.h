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

std::string to_text(const ExperimentFile& file);
/// What to_text wrote; an InputError that names the file where it is something else.
ExperimentFile parse_experiment_file(const std::string& text, const std::string& file);

void write_experiment_file(const ExperimentFile& file, const std::string& directory);
ExperimentFile read_experiment_file(const std::string& directory);

}  // namespace c2rl
