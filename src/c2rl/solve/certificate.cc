#include "c2rl/solve/certificate.h"

namespace c2rl {

const EnumNames<Grade>& grade_names() {
  static const EnumNames<Grade> kNames("grade", {"proof", "evidence"});
  return kNames;
}

std::string to_string(Grade grade) {
  return grade_names().of(grade);
}

double error_above(double distance, double bound) {
  return 0.5 * (distance - bound) * (distance + bound);
}

}  // namespace c2rl
