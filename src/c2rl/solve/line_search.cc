#include "c2rl/solve/line_search.h"

#include "c2rl/geometry/increasing_root.h"

namespace c2rl {

double exact_line_search(const ConvexSet& target, const Vector& x, const Vector& direction, double longest) {
  const auto slope = [&](double step) {
    const Vector y = x + step * direction;
    return target.outward(y).vector.dot(direction);
  };
  return increasing_root(slope, 0, longest);
}

}  // namespace c2rl
