#pragma once

#include <vector>

#include "c2rl/base/json.h"

namespace c2rl {

/// A number that is drawn and not read: seven digits do, and take a third of the room. No number is null.
Json drawn(double value);
Json drawn(const Vector& values);
Json drawn(const std::vector<double>& values);

}  // namespace c2rl
