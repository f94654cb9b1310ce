#include "c2rl/oracle/experience.h"

#include <algorithm>
#include <cmath>

namespace c2rl {

Experience::Experience(const TabularModel& model, const Vector& direction)
    : model_(model),
      cost_(direction.transpose() * model.measurement),
      seen_(model.transitions(), 0),
      visits_(model.choices(), 0),
      starts_(model.states, 0),
      known_(model.states, 0) {
  states_.reserve(model.states);
}

void Experience::add(int state, int choice, int transition) {
  const double cost = cost_[transition];
  largest_ = states_.empty() ? cost : std::max(largest_, cost);
  scale_ = std::max(scale_, std::abs(cost));
  if (!known_[state]) {
    known_[state] = 1;
    states_.push_back(state);
  }
  if (seen_[transition] != visits_[choice]) is_random_ = true;
  seen_[transition] += 1;
  visits_[choice] += 1;
}

void Experience::visit(StateVisitor& state) {
  state.values("seen", seen_);
  state.values("visits", visits_);
  state.values("starts", starts_);
  state.values("known", known_);
  state.list("states", states_, static_cast<std::size_t>(model_.states));
  state.expect(std::ranges::all_of(states_, [&](int s) { return s >= 0 && s < model_.states; }), "states");
  state.value("is_random", is_random_);
  state.value("largest_cost", largest_);
  state.value("cost_scale", scale_);
}

double Experience::mean_at_start(const std::vector<double>& values) const {
  double sum = 0, episodes = 0;
  for (int s = 0; s < model_.states; ++s) {
    sum += starts_[s] * values[s];
    episodes += starts_[s];
  }
  return episodes > 0 ? sum / episodes : 0;
}

}  // namespace c2rl
