#pragma once

#include "c2rl/base/json.h"
#include "c2rl/run/run_directory.h"

namespace c2rl {

/// A line of record.jsonl.
Json to_json(const RunRecord& record);
/// What a run must be told again; the rest follows from it.
RunRecord record_from_json(const Json& json);

}  // namespace c2rl
