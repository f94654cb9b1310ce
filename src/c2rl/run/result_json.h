#pragma once

#include <string>

#include "c2rl/base/json.h"
#include "c2rl/run/result.h"

namespace c2rl {

Json to_json(const Result& result);

/// Reads back what to_json wrote, equal to the last bit; a field that is missing or of the wrong kind is an
/// InputError that names it.
Result result_from_json(const Json& json);

/// The same for the text of a file; `file` is for errors.
Result parse_result(const std::string& text, const std::string& file);

}  // namespace c2rl
