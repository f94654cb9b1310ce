#include "c2rl/run/objective.h"

namespace c2rl {

const EnumNames<Sense>& sense_names() {
  static const EnumNames<Sense> kNames("sense", {"maximize", "minimize"});
  return kNames;
}

Vector Objective::uphill() const {
  const Vector unit = expression.coefficients.stableNormalized();
  return sense == Sense::maximize ? unit : Vector(-unit);
}

double Objective::in_its_units(double value) const {
  const double sign = sense == Sense::maximize ? 1 : -1;
  return sign * expression.coefficients.stableNorm() * value + expression.constant;
}

ObjectiveOptimum Objective::optimum(const Bracket& bracket) const {
  return {expression.text, sense, in_its_units(bracket.value), in_its_units(bracket.upper_bound),
          bracket.grade};
}

}  // namespace c2rl
