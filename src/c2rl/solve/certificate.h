#pragma once

#include <string>

#include "c2rl/base/vector.h"
#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// What a bound rests on: an oracle that is exact, or one that is a statistical estimate.
enum class Grade { proof, evidence };
std::string to_string(Grade grade);

/// A lower bound on the distance between everything achievable and the target, with the direction that shows
/// it:
///
///   direction.y >= direction.answer - slack   for every achievable y   (the oracle said so)
///   direction.z <= direction.target_point     for every z in the target (target_point is the farthest one)
///
/// so every achievable point is at least `bound` away from the target. Positive: no mixture can satisfy the
/// constraints, and `direction` names the combination of measurements that cannot be brought low enough.
struct Certificate {
  Vector direction;          // length 1; empty while there is no certificate
  Vector target_point;       // the point of the target farthest along the direction
  double bound = 0;          // on the distance, at least 0
  double achievable_at = 0;  // direction.y is at least this for every achievable y
  double target_at = 0;      // direction.z is at most this for every z in the target
  Grade grade = Grade::proof;
};

}  // namespace c2rl
