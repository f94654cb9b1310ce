#pragma once

#include <string>

#include "c2rl/base/json.h"

namespace c2rl {

/// What a page shows of an experiment's directory, as far as its cells are finished: the courses of error and stored
/// policies, the table of all methods, and its claims. docs/report.md lists the fields.
Json experiment_data(const std::string& directory);

/// Whether there is an experiment in a directory.
bool is_experiment(const std::string& directory);

}  // namespace c2rl
