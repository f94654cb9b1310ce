#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/run/points.h"

namespace c2rl::claims {

/// a.x <= b
struct Row {
  Vector a;
  double b = 0;
};

/// |x - center| <= radius over some of the coordinates
struct Round {
  std::vector<int> coordinates;
  Vector center;
  double radius = 0;
};

/// Policies and constraints, as numbers and as what the user would write.
struct Instance {
  std::string family;
  Points points;
  std::vector<Row> rows;
  std::vector<Round> rounds;
  std::vector<std::string> texts;
  double tolerance = 1e-9;
};

/// Instance `index` of the stream `seed`: scales from 1e-6 to 1e9, offsets, measurements that no constraint
/// names, flat and round constraints; the target with room, touching what can be achieved, or out of reach.
Instance make_instance(std::uint64_t seed, std::uint64_t index);

}  // namespace c2rl::claims
