#pragma once

#include <string>
#include <string_view>

#include "c2rl/base/enum_names.h"
#include "c2rl/geometry/linear_expression.h"
#include "c2rl/solve/maximize.h"

namespace c2rl {

enum class Sense { maximize, minimize };
const EnumNames<Sense>& sense_names();

/// What making an expression large or small inside the target came to, in the sense and units of its text.
struct ObjectiveOptimum {
  std::string name;  // the expression, as written
  Sense sense = Sense::maximize;
  double value = 0;            // of the mixture, which is inside
  double bound = 0;            // no mixture inside has more; or less, when it is minimised
  Grade grade = Grade::proof;  // what the bound rests on
  /// Lowest and highest that the value may be, where measurements are estimates: with the claim's confidence,
  /// together with everything else that is claimed. Empty where it is exact, or no such interval is known.
  Vector interval = {};
};

/// What is to be as large, or as small, as possible inside the target.
struct Objective {
  LinearExpression expression;
  Sense sense = Sense::maximize;
  MaximizeMethod method = MaximizeMethod::direct;

  /// What a Maximizer is told. Of length 1, so that its tolerance is one of distances however the expression
  /// is scaled.
  Vector uphill() const;
  /// The expression's value where uphill.x is so much.
  double in_its_units(double value) const;
  /// What such a maximizer found.
  ObjectiveOptimum optimum(const Bracket& bracket) const;
};

}  // namespace c2rl
