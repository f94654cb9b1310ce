#pragma once

#include <string>

#include "c2rl/geometry/target.h"
#include "c2rl/solve/certificate.h"

namespace c2rl {

/// Both halves of a certificate's argument, in the smallest numbers that say it. They hold as printed, bounds
/// being rounded outward: "3 steps + 2 risk >= 32" of every mixture, "3 steps + 2 risk <= 28" in the target.
struct ReadableCertificate {
  std::string achievable;
  std::string asked;
  std::string distance;  // what follows: at least this far apart
};

/// "3 steps - 2 risk"
std::string combination_words(const Vector& combination, const std::vector<std::string>& names);

/// The coefficients are small whole numbers where the direction is along some; else a constraint's own where
/// it is normal to one; else as many digits, the largest being 1, as the argument needs for measurements of
/// the given sizes.
ReadableCertificate readable(const Certificate& certificate, const Target& target, const Vector& sizes);

}  // namespace c2rl
