#pragma once

#include <span>
#include <string>
#include <string_view>

#include "c2rl/base/error.h"
#include "c2rl/base/vector.h"

namespace c2rl {

/// A linear expression over the measurements, as an objective is written: reward - 0.1*steps + 3.
struct LinearExpression {
  std::string text;  // as written
  Vector coefficients;
  double constant = 0;

  double at(const Vector& x) const { return coefficients.dot(x) + constant; }
};

/// Parses one in the language of constraints; a measurement's name by itself needs no quotes, whatever it is.
/// What is not linear, or depends on no measurement, is an InputError with a caret under the place.
LinearExpression parse_linear(std::string_view text, std::span<const std::string> names,
                              const Place& place = {});

}  // namespace c2rl
