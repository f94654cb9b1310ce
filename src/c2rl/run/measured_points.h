#pragma once

#include <optional>

#include "c2rl/geometry/target.h"
#include "c2rl/run/points.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {

/// Where measured policies really may be: with the confidence `level`, all entries of all points are within
/// their half-widths at once, whatever the errors of one policy's measurements have to do with each other.
/// What holds for every choice of points in those boxes holds for the truth, however the weights were chosen.
struct Region {
  Matrix points;       // as measured, one column a policy
  Matrix half_widths;  // of their boxes; zero where no constraint names the measurement
  double level = 1;
};

/// Nothing when no entry that matters, one that the target constrains or that is maximised, has a standard
/// error.
std::optional<Region> region_of(const Points& points, const Target& target,
                                const std::optional<Vector>& uphill, double level);

/// What every mixture must satisfy to be inside wherever the points are in their boxes: a target over other
/// coordinates, with the points there. A constraint a.x <= b is a coordinate, in which each point is moved
/// outward by its half-width; a norm bound is the second-order cone |A x - b| <= radius - width, with the width
/// a coordinate of its own. The value to maximise, as low as it may be, is the last coordinate, which is free.
struct SafeProblem {
  SetPtr set;
  Matrix points;
};
SafeProblem safe_problem(const Region& region, const Target& target, const std::optional<Vector>& uphill);

/// How low a direction's value may be over all boxes.
double lowest(const Region& region, const Vector& direction);

/// Asks and tells until the solver ends, every answer being the lowest corner of a box: what not even this
/// admits, no choice of points does.
void run_over_boxes(const Region& region, Solver& solver);

}  // namespace c2rl
