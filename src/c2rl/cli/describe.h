#pragma once

#include <string>

#include "c2rl/geometry/target.h"
#include "c2rl/run/result.h"

namespace c2rl {

/// A result for people: how it ended, the mixture, the constraints, and the certificate in words.
std::string describe(const Result& result, const Target& target);

}  // namespace c2rl
