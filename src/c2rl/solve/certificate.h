#pragma once

#include <string>

#include "c2rl/base/enum_names.h"
#include "c2rl/base/vector.h"
#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// What a bound rests on: an oracle that is exact, or one that is a statistical estimate.
enum class Grade { proof, evidence };
const EnumNames<Grade>& grade_names();
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
  Vector direction = {};     // length 1; empty while there is no certificate
  Vector target_point = {};  // the point of the target farthest along the direction
  double bound = 0;          // on the distance, at least 0
  double achievable_at = 0;  // direction.y is at least this for every achievable y
  double target_at = 0;      // direction.z is at most this for every z in the target
  double slack = 0;          // how far the answer behind it may be from optimal, along the direction
  Grade grade = Grade::proof;
};

/// How far 1/2 distance^2 can be above that of the nearest mixture, when no mixture is nearer than `bound`.
double error_above(double distance, double bound);

}  // namespace c2rl
