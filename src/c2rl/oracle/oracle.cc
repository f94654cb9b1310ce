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

void OracleCall::restore(const StateVisit& visit) const {
  if (!saved) return;
  auto state = StateVisitor::restoring(*saved);
  visit(state);
}

DataEstimate Oracle::judge(const Policy&, std::int64_t, std::int64_t) const {
  throw std::logic_error("an oracle without recorded episodes was asked to judge by them");
}

EpisodeTotals Oracle::draw(const Policy&, std::int64_t, int, const Rng&, const Pulse&) const {
  throw std::logic_error("an oracle without a world of its own was asked for episodes");
}

void Oracle::help(std::string_view) const {
  throw std::logic_error("an oracle whose calls one rank makes was asked to help with one");
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
  OracleAnswer found = answer(call);
  check(found);
  return found;
}

void Oracle::check(const OracleAnswer& answer) const {
  const auto expect_entries = [&](const char* what, Eigen::Index found) {
    if (found != dim())
      throw OracleFailed(fmt::format("its {} has {} entries, expected {}", what, found, dim()));
  };
  const auto expect = [](bool holds, const char* what, double found, const char* expected) {
    if (!holds) throw OracleFailed(fmt::format("its {} has an entry {}, expected {}", what, found, expected));
  };
  if (!answer.policy) throw OracleFailed("its answer has no policy");
  expect_entries("measurement", answer.measurement.size());
  for (const double value : answer.measurement)
    expect(std::isfinite(value), "measurement", value, "a finite number");
  expect_entries("standard error", answer.standard_error.size());
  for (const double value : answer.standard_error)
    expect(value >= 0, "standard error", value, "a number of 0 or more");
  if (!(answer.slack >= 0))
    throw OracleFailed(fmt::format("its slack is {}, expected a number of 0 or more", answer.slack));
  if (answer.episodes.totals.cols() == 0) return;
  expect_entries("episodes' totals", answer.episodes.totals.rows());
  if (!answer.episodes.totals.allFinite())
    throw OracleFailed("its episodes measured something that is not a finite number");
}

}  // namespace c2rl
