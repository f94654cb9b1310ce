#include "c2rl/oracle/oracle.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {

OracleAnswer Oracle::minimize(const Vector& direction, const Rng& rng, double effort) {
  if (direction.size() != dim()) {
    throw InputError({.field = "direction"},
                     fmt::format("has {} entries; expected {}", direction.size(), dim()));
  }
  if (!direction.allFinite())
    throw InputError({.field = "direction"}, "has an entry that is not a finite number");
  if (!(effort > 0))
    throw InputError({.field = "effort"}, fmt::format("is {}; expected more than 0", effort));
  return answer(direction.stableNormalized(), rng, effort);
}

}  // namespace c2rl
