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
  /// Has room for so many actions of each episode, up to which nothing is allocated. An action is the number of
  /// one, or so many real numbers.
  RunningEpisodes(int slots, std::int64_t room, int controls = 0);

  /// Episode `number` has begun in a slot.
  void begin(int slot, std::uint64_t number);
  void add(int slot, int action) { running_[slot].actions.push_back(action); }
  void add(int slot, const Eigen::Ref<const Eigen::VectorXf>& controls) {
    running_[slot].controls.insert(running_[slot].controls.end(), controls.begin(), controls.end());
  }

  void visit(StateVisitor& state);
  /// Brings an environment that is new to where they are; episode i draws from rng.fork("episode", i). A slot
  /// without actions is left as one that has ended.
  void replay(Environment& environment, const Rng& rng) const;

 private:
  struct Running {
    std::uint64_t number = 0;
    std::vector<int> actions;     // one an action, where they are numbered,
    std::vector<float> controls;  // else this many
  };
  std::size_t steps(const Running& episode) const {
    return controls_ > 0 ? episode.controls.size() / static_cast<std::size_t>(controls_)
                         : episode.actions.size();
  }

  template <typename T>
  void visit_all(StateVisitor& state, const std::vector<std::uint64_t>& lengths,
                 std::vector<T> Running::*member);

  int controls_;
  std::vector<Running> running_;  // by slot
};

}  // namespace c2rl
