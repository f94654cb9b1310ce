#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/limits.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/run/demands.h"

namespace c2rl {

/// What is known of J of a policy.
struct Measured {
  Vector point;
  Vector standard_error;      // of each entry; zeros where the point was computed
  bool computed = false;      // the point is J, not an estimate of it
  std::int64_t episodes = 0;  // that it rests on, its own or recorded ones
  // Where it is the mean of its own episodes:
  std::vector<ScalarSample> totals = {};  // of the measurements, then of the demands
  std::int64_t cut = 0;                   // of the episodes, at the horizon
  std::int64_t env_steps = 0;

  /// What an oracle said of its policy, without the episodes that it said so from.
  static Measured of(const OracleAnswer& answer);

  /// What recorded episodes said of it.
  static Measured of(const DataEstimate& estimate, std::int64_t episodes);

  /// Counts in more episodes; of nothing computed.
  void add(const EpisodeTotals& episodes, const Demands& demands);
  void merge(const Measured& more);

  /// From episodes of its own; else computed, or estimated from data.
  bool sampled() const { return !computed && !totals.empty(); }
  const ScalarSample& demand(int i) const {
    return totals[static_cast<std::size_t>(point.size()) + static_cast<std::size_t>(i)];
  }
  /// The standard error of direction.J, the entries' taken as independent.
  double error_along(const Vector& direction) const { return direction.cwiseProduct(standard_error).norm(); }

 private:
  void update();
};

}  // namespace c2rl
