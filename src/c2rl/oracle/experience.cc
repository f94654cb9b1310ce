#include "c2rl/oracle/experience.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace c2rl {

Experience::Experience(const TabularModel& model, const Vector& direction)
    : model_(&model),
      direction_(direction),
      discount_(model.discount),
      horizon_(model.horizon),
      choice_begin_(model.choice_begin),
      model_cost_(direction.transpose() * model.measurement),
      first_(model.choices(), -1),
      visits_(model.choices(), 0),
      starts_(model.states, 0),
      known_(model.states, 0) {
  known_states_.reserve(model.states);
  for (auto* of_arrivals : {&seen_, &cost_}) of_arrivals->reserve(model.transitions());
  for (auto* of_arrivals : {&next_, &key_, &link_}) of_arrivals->reserve(model.transitions());
}

Experience::Experience(const WorldShape& world, const Environment& environment, const Vector& direction)
    : direction_(direction),
      discount_(world.discount),
      horizon_(world.horizon),
      choice_begin_(1, 0),
      starts_(world.states, 0),
      known_(world.states, 0) {
  for (int s = 0; s < world.states; ++s)
    choice_begin_.push_back(choice_begin_.back() + environment.action_count(s));
  first_.assign(choice_begin_.back(), -1);
  visits_.assign(choice_begin_.back(), 0);
}

double Experience::add(int state, int choice, int transition) {
  const int at = arrival(choice, transition, model_->next[transition]);
  cost_[at] = model_cost_[transition];
  count(state, choice, at, cost_[at]);
  return cost_[at];
}

double Experience::add(int state, int choice, int next, const Vector& measured) {
  const int at = arrival(choice, next, next);
  const Eigen::Index m = direction_.size();
  outcome_.resize(seen_.size() * m, 0);
  Eigen::Map<Vector> outcome(outcome_.data() + at * m, m);
  if (seen_[at] > 0 && outcome != measured) is_random_ = true;
  outcome += (measured - outcome) / (seen_[at] + 1);
  cost_[at] = direction_.dot(outcome);
  const double cost = direction_.dot(measured);
  count(state, choice, at, cost);
  return cost;
}

int Experience::arrival(int choice, int key, int next) {
  int before = -1, at = first_[choice];
  while (at >= 0 && key_[at] < key) {
    before = at;
    at = link_[at];
  }
  if (at >= 0 && key_[at] == key) return at;
  const int found = static_cast<int>(seen_.size());
  seen_.push_back(0);
  cost_.push_back(0);
  next_.push_back(next);
  key_.push_back(key);
  link_.push_back(at);
  (before >= 0 ? link_[before] : first_[choice]) = found;
  return found;
}

void Experience::count(int state, int choice, int arrival, double cost) {
  note_cost(cost, known_states_.empty());
  if (!known_[state]) {
    known_[state] = 1;
    known_states_.push_back(state);
  }
  if (seen_[arrival] != visits_[choice]) is_random_ = true;
  seen_[arrival] += 1;
  visits_[choice] += 1;
  steps_ += 1;
}

void Experience::note_cost(double cost, bool first) {
  largest_ = first ? cost : std::max(largest_, cost);
  scale_ = std::max(scale_, std::abs(cost));
}

void Experience::visit(StateVisitor& state) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  state.list("seen", seen_, kMost);
  const std::size_t arrivals = seen_.size();
  state.list("cost", cost_, arrivals);
  state.list("next", next_, arrivals);
  state.list("key", key_, arrivals);
  state.list("link", link_, arrivals);
  state.list("outcome", outcome_, arrivals * static_cast<std::size_t>(direction_.size()));
  state.values("first", first_);
  state.values("visits", visits_);
  state.values("starts", starts_);
  state.values("known", known_);
  state.list("states", known_states_, starts_.size());
  const auto all = [&](const std::vector<int>& list, int least, int end) {
    return std::ranges::all_of(list, [&](int i) { return i >= least && i < end; });
  };
  const bool whole = cost_.size() == arrivals && next_.size() == arrivals && key_.size() == arrivals &&
                     link_.size() == arrivals &&
                     outcome_.size() == (model_ ? 0 : arrivals * static_cast<std::size_t>(direction_.size()));
  state.expect(whole && all(next_, 0, states() + 1) && all(link_, -1, static_cast<int>(arrivals)) &&
                   all(first_, -1, static_cast<int>(arrivals)),
               "next");
  state.expect(all(known_states_, 0, states()), "states");
  state.value("steps", steps_);
  state.value("is_random", is_random_);
  state.value("largest_cost", largest_);
  state.value("cost_scale", scale_);
}

void Experience::take_up(const Safetensors& seen) {
  auto state = StateVisitor::restoring(seen);
  visit(state);
  largest_ = scale_ = 0;
  const Eigen::Index m = direction_.size();
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    cost_[i] =
        direction_.dot(Eigen::Map<const Vector>(outcome_.data() + static_cast<Eigen::Index>(i) * m, m));
    note_cost(cost_[i], i == 0);
  }
}

std::vector<int> Experience::unknown_states() const {
  std::vector<std::uint8_t> found(known_);
  std::vector<int> unknown;
  for (const int next : next_) {
    if (next == states() || found[next] || actions(next) == 0) continue;
    found[next] = 1;
    unknown.push_back(next);
  }
  return unknown;
}

bool Experience::is_complete() const {
  for (const int s : known_states_) {
    for (int k = choice_begin_[s]; k < choice_begin_[s + 1]; ++k) {
      if (visits_[k] == 0) return false;
    }
  }
  return unknown_states().empty();
}

double Experience::mean_at_start(const std::vector<double>& values) const {
  double sum = 0, episodes = 0;
  for (int s = 0; s < states(); ++s) {
    sum += starts_[s] * values[s];
    episodes += starts_[s];
  }
  return episodes > 0 ? sum / episodes : 0;
}

}  // namespace c2rl
