#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/state_visitor.h"
#include "c2rl/mdp/environment.h"

namespace c2rl {

/// How the episodes that run in an environment came to where they are: their numbers, and the actions taken
/// since they began. No environment can be asked for its state, but doing the same again leads there.
class RunningEpisodes {
 public:
  /// Has room for so many actions of each episode, up to which nothing is allocated.
  RunningEpisodes(int slots, std::int64_t room);

  /// Episode `number` has begun in a slot.
  void begin(int slot, std::uint64_t number);
  void add(int slot, int action) { running_[slot].actions.push_back(action); }

  void visit(StateVisitor& state);
  /// Brings an environment that is new to where they are; episode i draws from rng.fork("episode", i). A slot
  /// without actions is left as one that has ended.
  void replay(Environment& environment, const Rng& rng) const;

 private:
  struct Running {
    std::uint64_t number = 0;
    std::vector<int> actions;
  };
  std::vector<Running> running_;  // by slot
};

}  // namespace c2rl
