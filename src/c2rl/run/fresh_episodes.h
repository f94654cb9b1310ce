#pragma once

#include <chrono>

#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/run/problem.h"

namespace c2rl {

/// How long something may take, from when this is made.
class Deadline {
 public:
  explicit Deadline(double seconds);
  /// OracleFailed when the time is up.
  void check() const;

 private:
  double seconds_;
  std::chrono::steady_clock::time_point start_;
};

/// episode_totals in the problem's world. Where the oracle draws them, it may take as long as for a call, and
/// fail.
EpisodeTotals fresh_episodes(const Problem& problem, const Policy& policy, std::int64_t first, int count,
                             const Rng& rng, const Pulse& listener = {});

}  // namespace c2rl
