#include "c2rl/oracle/oracle.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {

OracleAnswer Oracle::minimize(OracleCall call) {
  const Vector& direction = call.direction;
  if (direction.size() != dim()) {
    throw InputError({.field = "direction"},
                     fmt::format("has {} entries; expected {}", direction.size(), dim()));
  }
  if (!direction.allFinite())
    throw InputError({.field = "direction"}, "has an entry that is not a finite number");
  if (!(call.effort > 0))
    throw InputError({.field = "effort"}, fmt::format("is {}; expected more than 0", call.effort));
  const double length = direction.stableNorm();
  call.direction.stableNormalize();
  if (length > 0) call.enough /= length;
  return answer(call);
}

}  // namespace c2rl
