#pragma once

#include <string>

#include "c2rl/base/json.h"
#include "c2rl/run/record_file.h"

namespace c2rl {

/// What a page shows of a run directory, which may be one that is being written: its result, or what it has come to so
/// far, in numbers and words, and how it got there. docs/report.md lists the fields. Episodes are played only when the
/// run has ended.
Json run_data(const std::string& directory);
/// The same of one that is asked for again and again: of its record, only what was appended is read.
Json run_data(const std::string& directory, RecordReader& reader);

/// Whether there is a run in a directory.
bool is_run(const std::string& directory);

}  // namespace c2rl
