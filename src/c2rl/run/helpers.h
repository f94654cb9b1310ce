#pragma once

#include "c2rl/base/ranks.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

struct Problem;

/// What the ranks but the first do for a problem that all have read: they wait for orders, and follow them until they may
/// leave. The first one goes through the run as if it were alone; only its oracle and its episodes know of the others.
void help(const Problem& problem, Ranks& ranks);

/// On the first rank: when this goes, however it goes, the others leave.
class Helpers {
 public:
  explicit Helpers(Ranks& ranks) : ranks_(ranks) {}
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

 private:
  Ranks& ranks_;
};

/// On the first of several ranks: whole episodes are run by all of them, each its part. They draw from the streams of their
/// numbers, so that it does not matter who runs them.
void share_episodes(World& world, Ranks& ranks);

}  // namespace c2rl
