#pragma once

#include <cmath>
#include <functional>

#include "c2rl/base/vector.h"

namespace c2rl {

/// Central differences of a loss that reads `x`, which is changed and put back: entry by entry.
inline Vector central_differences(Eigen::Ref<Vector> x, const std::function<double()>& loss) {
  const double step = 1e-6;
  Vector result(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double at = x[i];
    x[i] = at + step;
    const double above = loss();
    x[i] = at - step;
    const double below = loss();
    x[i] = at;
    result[i] = (above - below) / (2 * step);
  }
  return result;
}

}  // namespace c2rl
