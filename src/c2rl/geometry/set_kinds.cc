#include "c2rl/geometry/set_kinds.h"

#include "c2rl/geometry/check.h"

namespace c2rl {

// Each in the file of its set.
SetKind point_kind(), box_kind(), ball_kind(), simplex_kind(), second_order_cone_kind(), python_set_kind();

Kinds<SetKind>& set_kinds() {
  static Kinds<SetKind> kinds("set", {point_kind(), box_kind(), ball_kind(), simplex_kind(),
                                      second_order_cone_kind(), python_set_kind()});
  return kinds;
}

void check_one_per_measurement(const Vector& values, int dim, const std::string& key) {
  check(values.size() == dim, key,
        std::to_string(dim) + " numbers, one per measurement; found " + std::to_string(values.size()));
}

}  // namespace c2rl
