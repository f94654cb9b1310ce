#include "c2rl/oracle/recorded_actions.h"

#include <algorithm>

#include <fmt/format.h>

namespace c2rl {

void check_actions(const Dataset& dataset, const ActionCounts& actions, const Place& place) {
  for (int i = 0; i < dataset.size(); ++i) {
    const int state = dataset.states > 0 ? dataset.state[i] : 0;
    if (dataset.action[i] >= actions.of(state)) {
      throw InputError(place, fmt::format("transition {}: found {} in state {}, expected 0 to {}", i,
                                          dataset.action[i], state, actions.of(state) - 1));
    }
  }
}

RecordedActions::RecordedActions(const WorldShape& shape, ActionCounts actions)
    : counts_(std::move(actions)), by_state_(shape.states > 0) {
  const int rows = by_state_ ? shape.states : 1;
  recorded_.assign(std::size_t(rows) * counts_.most(), 0);
  all_.assign(rows, 1);
  fill_unseen();
}

RecordedActions::RecordedActions(const Dataset& dataset, ActionCounts actions)
    : counts_(std::move(actions)), by_state_(dataset.states > 0) {
  if (counts_.most() != dataset.actions) {
    throw InputError({.field = "actions"},
                     fmt::format("found {}, expected {} as the world has", dataset.actions, counts_.most()));
  }
  if (const auto states = std::ssize(counts_.per_state()); states > 0 && states != dataset.states) {
    throw InputError({.field = "states"},
                     fmt::format("found {}, expected {} as the world has", dataset.states, states));
  }
  check_actions(dataset, counts_, {.field = "action"});
  const int rows = by_state_ ? dataset.states : 1;
  recorded_.assign(std::size_t(rows) * counts_.most(), 0);
  all_.assign(rows, 1);
  if (by_state_) {
    for (int i = 0; i < dataset.size(); ++i) recorded_[entry(dataset.state[i], dataset.action[i])] = 1;
  }
  fill_unseen();
}

void RecordedActions::fill_unseen() {
  for (int s = 0; s < std::ssize(all_); ++s) {
    const auto first = recorded_.begin() + static_cast<std::ptrdiff_t>(entry(s, 0));
    const auto last = first + counts_.of(s);
    const auto found = std::count(first, last, 1);
    all_[s] = found == 0 || found == counts_.of(s);
    if (found == 0) std::fill(first, last, 1);
  }
}

}  // namespace c2rl
