#include "c2rl/oracle/transitions.h"

#include <algorithm>
#include <limits>

namespace c2rl {

Transitions::Transitions(const WorldShape& shape, int outcomes, std::int64_t room)
    : state(shape.features > 0 ? 0 : room),
      next_state(state.size()),
      action(shape.controls > 0 ? 0 : room),
      features(shape.features, shape.features > 0 ? room : 0),
      next_features(shape.features, features.cols()),
      controls(shape.controls, shape.controls > 0 ? room : 0),
      outcome(outcomes, room),
      terminated(room),
      shape_(shape) {}

int Transitions::add() {
  size_ = std::min(size_ + 1, room());
  return place(added_++);
}

void Transitions::copy(const Transitions& from, int place) {
  const int at = add();
  if (has_features()) {
    features.col(at) = from.features.col(place);
    next_features.col(at) = from.next_features.col(place);
  } else {
    state[at] = from.state[place];
    next_state[at] = from.next_state[place];
  }
  if (has_controls()) {
    controls.col(at) = from.controls.col(place);
  } else {
    action[at] = from.action[place];
  }
  outcome.col(at) = from.outcome.col(place);
  terminated[at] = from.terminated[place];
}

/// All of them, where there is room for no more.
void Transitions::visit(StateVisitor& columns) {
  columns.values("state", state);
  columns.values("next_state", next_state);
  columns.values("action", action);
  columns.values("features", features);
  columns.values("next_features", next_features);
  columns.values("controls", controls);
  columns.values("outcome", outcome);
  columns.values("terminated", terminated);
}

Safetensors Transitions::since(std::int64_t first) const {
  first = std::max(first, added_ - size_);
  Transitions part(shape_, outcomes(), added_ - first);
  for (std::int64_t number = first; number < added_; ++number) part.copy(*this, place(number));
  Safetensors content;
  auto columns = StateVisitor::saving(content);
  part.visit(columns);
  return content;
}

void Transitions::append(const Safetensors& content, std::int64_t first) {
  auto columns = StateVisitor::restoring(content);
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  std::vector<std::uint8_t> ends;
  columns.list("terminated", ends, kMost);
  Transitions part(shape_, outcomes(), std::ssize(ends));
  part.visit(columns);
  const auto expect_below = [&](const std::vector<int>& numbers, int end, const char* name) {
    columns.expect(std::ranges::all_of(numbers, [&](int i) { return i >= 0 && i < end; }), name);
  };
  expect_below(part.state, shape_.states, "state");
  expect_below(part.next_state, shape_.states, "next_state");
  expect_below(part.action, shape_.actions, "action");
  columns.expect(part.features.allFinite() && part.next_features.allFinite(), "features");
  columns.expect(part.controls.allFinite(), "controls");
  columns.expect(part.outcome.allFinite(), "outcome");
  added_ = first;
  for (int i = 0; i < part.room(); ++i) copy(part, i);
}

}  // namespace c2rl
