#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "c2rl/base/vector.h"

namespace c2rl {

/// Keeps the order in which fields were written, so that files read as they were composed.
using Json = nlohmann::ordered_json;

/// JSON has no infinity and no NaN: they become null.
Json to_json(double value);
Json to_json(const Vector& v);

/// A vector from an array of numbers; `field` names it in the error when it is not one.
Vector vector_from_json(const Json& value, const std::string& field);

}  // namespace c2rl
