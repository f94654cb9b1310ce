#pragma once

#include <string>
#include <vector>

#include "c2rl/solve/certificate.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

/// What a result claims, free of the solver that found it.
struct Claim {
  Status status = Status::feasible;
  Matrix points;   // every point that may be mixed, one column each
  Vector weights;  // one per point
  Vector measurement;
  double distance = 0;
  double distance_lower_bound = 0;
  Certificate certificate;  // no direction when there is none
  double tolerance = 0;     // at which the mixture counts as inside
};

/// Recomputes everything claimed from points, weights and the target's constraints alone: weights on the
/// simplex, the measurement, its distance, that it is inside by the rule that `feasible` goes by (see
/// ConvexSet::excess), and the certificate's two inequalities over all points, which may be wrong by the certificate's
/// slack, and over the target. A bound that is claimed must be shown by a normal to the target found anew, next to
/// the certificate's direction; that less is claimed than could be is no fault.
/// Returns what does not hold, in words; empty when all does.
std::vector<std::string> verify(const Claim& claim, const ConvexSet& target);

}  // namespace c2rl
