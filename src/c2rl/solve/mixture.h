#pragma once

#include <vector>

#include "c2rl/base/vector.h"

namespace c2rl {

/// A convex combination of atoms: measurement vectors of stored policies, each known by the oracle call (from
/// 1) that first answered with it.
struct Mixture {
  std::vector<int> ids;
  Matrix atoms;    // one column an atom, in the order of ids
  Vector weights;  // positive, sum 1
  Vector point;    // atoms * weights: the measurement of the mixed policy

  int size() const { return static_cast<int>(ids.size()); }
  bool empty() const { return ids.empty(); }
};

}  // namespace c2rl
