#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/base/vector.h"
#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// lower <= normal.x <= upper
struct LinearRange {
  Vector normal;
  double lower = -kInfinity;
  double upper = kInfinity;
};

/// |A x - b| <= radius
struct NormBound {
  Matrix a;
  Vector b;
  double radius = 0;
};

/// One line of the constraint language: the text the user wrote, and what it asks of the measurements.
struct Constraint {
  std::string text;
  std::vector<LinearRange> ranges;
  std::vector<NormBound> norms;

  /// By how much x breaks it, as the distance to the worst of its parts; 0 or less (the slack) when it holds.
  double violation(const Vector& x) const;
};

/// Parses one constraint over the named measurements:
///   0 <= steps <= 11          2*steps + risk/3 <= 12 - wait     risk == 0.5
///   abs(a - b) <= 0.1         norm(a - 1, b - 2) <= 3           "name with spaces" >= 2
/// Errors show the line with a caret under the offending place and say what was expected; an unknown name
/// suggests the nearest known one. `place` says where the text came from.
Constraint parse_constraint(std::string_view text, std::span<const std::string> names,
                            const Place& place = {});

/// What the mixture must satisfy: the constraints by name, and the convex set they make together.
struct Target {
  std::vector<std::string> names;
  std::vector<Constraint> constraints;
  SetPtr set;
};

/// The set of all points that satisfy every constraint. An empty one is an InputError that quotes the
/// constraints in conflict.
Target make_target(std::vector<std::string> names, std::vector<Constraint> constraints);

}  // namespace c2rl
