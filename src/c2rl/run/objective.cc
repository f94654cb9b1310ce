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

Optimum Objective::optimum(const Bracket& bracket) const {
  const double length = expression.coefficients.stableNorm();
  const double sign = sense == Sense::maximize ? 1 : -1;
  const auto in_its_units = [&](double value) { return sign * length * value + expression.constant; };
  return {expression.text, sense, in_its_units(bracket.value), in_its_units(bracket.upper_bound),
          bracket.grade};
}

}  // namespace c2rl
