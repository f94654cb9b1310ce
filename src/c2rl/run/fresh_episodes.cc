#include "c2rl/run/fresh_episodes.h"

#include <fmt/format.h>

#include "c2rl/base/text.h"

namespace c2rl {

using Clock = std::chrono::steady_clock;

Deadline::Deadline(double seconds) : seconds_(seconds), start_(Clock::now()) {}

void Deadline::check() const {
  if (std::chrono::duration<double>(Clock::now() - start_).count() <= seconds_) return;
  throw OracleFailed(
      fmt::format("took longer than the {} s that oracle.time_limit allows", format_number(seconds_)));
}

EpisodeTotals fresh_episodes(const Problem& problem, const Policy& policy, std::int64_t first, int count,
                             const Rng& rng, const Pulse& listener) {
  const World& world = problem.world;
  const Deadline deadline(world.can_be_acted_in() ? kInfinity : problem.limits.time_limit);
  return episode_totals(world, policy, first, count, rng, [&] {
    deadline.check();
    pulse(listener);
  });
}

}  // namespace c2rl
