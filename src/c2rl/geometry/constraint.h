#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/base/vector.h"

namespace c2rl {

/// lower <= normal.x <= upper
struct LinearRange {
  Vector normal;  // not zero; from the parser, its first entry that is not zero is positive
  double lower = -kInfinity;
  double upper = kInfinity;

  /// Keeps what also lies between the given bounds. False when nothing is left.
  bool narrow(double other_lower, double other_upper);
};

/// |A x - b| <= radius
struct NormBound {
  Matrix a;  // not zero
  Vector b;
  double radius = 0;
  double scale = 1;  // what the norm is multiplied with as written: 2*norm(...) <= 6 has radius 3 and scale 2
};

/// By how much x breaks a comparison, in the units it is written in.
struct Excess {
  double amount = -kInfinity;  // 0 or less, the slack, where it holds
  double terms = 0;            // the sizes of both sides' terms, added up: what rounding is relative to
};

/// One line of the constraint language: the text the user wrote, and what it asks of the measurements.
struct Constraint {
  std::string text;
  std::vector<LinearRange> ranges;
  std::vector<NormBound> norms;

  /// By how much x breaks it: the distance to the worst of its parts; 0 or less (the slack) when it holds.
  /// For a norm bound it is (|A x - b| - radius) / |A|, with the spectral norm of A: the distance to a ball,
  /// and at most the distance to any other ellipsoid.
  double violation(const Vector& x) const;

  /// The same in the units of the text, for the comparison with the least slack: 10*steps <= 110 has a slack
  /// of 10 at steps = 10. `sizes` are those of what each measurement of x was computed from.
  Excess excess(const Vector& x, const Vector& sizes) const;
  /// How large the numbers are that the comparison is about, at x: what it is broken by is good to their rounding.
  double size(const Vector& x) const;
};

/// Parses one constraint over the named measurements:
///   0 <= steps <= 11          2*steps + risk/3 <= 12 - wait     risk == 0.5
///   abs(a - b) <= 0.1         2*norm(a - 1, b) - 1 <= 3         "name with spaces" >= 2
/// Both sides are linear; a norm(...) may be scaled and shifted by numbers, an abs(...) by anything linear,
/// as long as it is bounded from above. Errors show the line with a caret under the offending place and say
/// what was expected; an unknown name suggests the nearest known one. `place` says where the text came from.
Constraint parse_constraint(std::string_view text, std::span<const std::string> names,
                            const Place& place = {});

}  // namespace c2rl
