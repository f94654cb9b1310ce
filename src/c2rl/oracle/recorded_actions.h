#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/offline/dataset.h"
#include "c2rl/oracle/network_policy.h"

namespace c2rl {

/// An InputError at `place` for the first transition whose action its state does not have.
void check_actions(const Dataset& dataset, const ActionCounts& actions, const Place& place);

/// Which actions were ever recorded where. The value of any other is made up by the network, and the highest
/// of such values would be believed the most: no target counts on them. Of a state that nothing was recorded
/// of, and where features are observed, all actions count as recorded.
class RecordedActions {
 public:
  /// An InputError where a recorded action does not exist.
  RecordedActions(const Dataset& dataset, ActionCounts actions);
  /// Where any can be tried, all count as recorded.
  RecordedActions(const WorldShape& shape, ActionCounts actions);

  const ActionCounts& counts() const { return counts_; }
  bool has(int state, int action) const { return recorded_[entry(state, action)] != 0; }
  /// Every action of the state counts as recorded.
  bool all(int state) const { return all_[by_state_ ? state : 0] != 0; }

 private:
  std::size_t entry(int state, int action) const {
    return static_cast<std::size_t>(by_state_ ? state : 0) * counts_.most() + action;
  }
  void fill_unseen();

  ActionCounts counts_;
  bool by_state_;
  std::vector<std::uint8_t> recorded_;  // by state and action; one row where features are observed
  std::vector<std::uint8_t> all_;       // by state
};

}  // namespace c2rl
