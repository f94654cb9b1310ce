#include "c2rl/oracle/oracle.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {

void report(const OracleWatcher& watcher, double part) {
  if (watcher && !watcher(part)) throw OracleInterrupted();
}

std::int64_t OracleCall::budget(std::int64_t steps) const {
  return static_cast<std::int64_t>(std::ceil(std::min(effort * static_cast<double>(steps), kMostSteps)));
}

DataEstimate Oracle::judge(const Policy&, std::int64_t, std::int64_t) const {
  throw std::logic_error("an oracle without recorded episodes was asked to judge by them");
}

OracleAnswer Oracle::minimize(OracleCall call) const {
  const Vector& direction = call.direction;
  if (direction.size() != dim()) {
    throw InputError({.field = "direction"},
                     fmt::format("found {} entries, expected {}", direction.size(), dim()));
  }
  if (!direction.allFinite())
    throw InputError({.field = "direction"}, "found an entry that is not a finite number");
  if (!(call.effort > 0 && std::isfinite(call.effort)))
    throw InputError({.field = "effort"}, fmt::format("found {}, expected a number above 0", call.effort));
  const double length = direction.stableNorm();
  call.direction.stableNormalize();
  if (length > 0) call.enough /= length;
  return answer(call);
}

}  // namespace c2rl
