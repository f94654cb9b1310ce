#pragma once

#include <string>

#include "c2rl/geometry/target.h"
#include "c2rl/run/result.h"

namespace c2rl {

/// What a result is printed for.
enum class Format {
  text,  // people: how it ended, the mixture, the constraints, and the certificate in words
  json,  // programs: what result.json holds
};
std::string print(const Result& result, const Target& target, Format format);

}  // namespace c2rl
