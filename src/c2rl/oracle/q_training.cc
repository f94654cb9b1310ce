#include "c2rl/oracle/q_training.h"

#include <algorithm>

#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/oracle/replayed_policy.h"

namespace c2rl {

QTraining::QTraining(Experience experience, int limit, const QLearningOptions& options, const Rng& rng)
    : options_(options),
      rng_(rng),
      experience_(std::move(experience)),
      limit_(limit),
      // Nothing is further away in a world without chance.
      far_(limit > 0 ? std::min(experience_.states(), limit) : experience_.states()),
      reach_(experience_.states() + 1, 0) {
  for (int s = 0; s < experience_.states(); ++s) {
    if (experience_.actions(s) == 0) reach_[s] = far_;
  }
  reach_.back() = far_;
}

void QTraining::run(std::int64_t steps, const std::function<void(double)>& report) {
  constexpr std::int64_t kReportSteps = 1 << 14;
  const auto report_part = [&] { report(static_cast<double>(env_steps_) / static_cast<double>(steps)); };
  if (!policy_ && remembered_ > 0) policy_ = replay(report_part);
  for (; round_ <= options_.replays; ++round_) {
    const auto until = static_cast<std::int64_t>(static_cast<double>(steps) * round_ / options_.replays);
    while (env_steps_ < until) {
      if (experience_.steps() > 0 && knows_enough(steps)) return;
      report_part();
      act(std::min(kReportSteps, until - env_steps_));
    }
    if (round_ < options_.replays) policy_ = replay(report_part);
  }
}

std::shared_ptr<const TabularPolicy> QTraining::replay(const std::function<void()>& report) const {
  return replayed_policy(experience_, limit_, options_.step_cost * experience_.cost_scale(), report);
}

void QTraining::visit(StateVisitor& state, const World& world) {
  experience_.visit(state);
  PolicyPtr policy = policy_;
  visit_policy(state, "policy", world, policy);
  policy_ = std::dynamic_pointer_cast<const TabularPolicy>(policy);
  state.expect(!policy == !policy_, "policy");
  state.value("rng", rng_);
  state.value("env_steps", env_steps_);
  state.value("round", round_);
  state.value("wanted", wanted_);
  state.values("reach", reach_);
  state.value("next_update", next_update_);
  state.expect(round_ >= 1 && next_update_ <= experience_.known_states().size(), "round");
}

void QTraining::begin(Walk& walk, int state) {
  experience_.begin(state);
  walk = {.state = state, .step = 0, .exploring = rng_.uniform() < options_.exploration};
  walk.followed = !walk.exploring;
  wanted_ = 1 + options_.coverage * (remembered_ + static_cast<double>(env_steps_)) / experience_.choices();
}

void QTraining::note(Walk& walk, double cost) {
  walk.cost += walk.discount * cost;
  walk.discount *= experience_.discount();
  update_reach(walk.state);
  // One other state a step, those found last first: what is ahead is known before what leads to it.
  next_update_ = (next_update_ == 0 ? experience_.known_states().size() : next_update_) - 1;
  update_reach(experience_.known_states()[next_update_]);
}

void QTraining::go_on(Walk& walk, int state) {
  walk.state = state;
  if (state < 0 && walk.followed) followed_.end_with(walk.cost);
}

int QTraining::decide(const Walk& walk) {
  if (walk.exploring) {
    if (const int choice = towards_untried(walk.state); choice >= 0) return choice;
  }
  if (!policy_ || rng_.uniform() < options_.epsilon) return random_choice(walk.state);
  return experience_.choice_begin()[walk.state] + policy_->action(walk.state, walk.step);
}

int QTraining::random_choice(int state) {
  return experience_.choice_begin()[state] + static_cast<int>(rng_.below(experience_.actions(state)));
}

/// -1 where nothing untried is near enough.
int QTraining::towards_untried(int state) const {
  int best = -1;
  double least = far_;
  for (int k = experience_.choice_begin()[state]; k < experience_.choice_begin()[state + 1]; ++k) {
    const double steps = steps_to_untried(k);
    if (steps >= least) continue;
    least = steps;
    best = k;
  }
  return best;
}

double QTraining::steps_to_untried(int choice) const {
  const double visits = experience_.visits(choice);
  // Of several that are at hand, the one tried least.
  if (visits < wanted_) return visits / (wanted_ + 1);
  return std::min(far_, 1 + experience_.mean_ahead(choice, reach_));
}

void QTraining::update_reach(int state) {
  double least = far_;
  for (int k = experience_.choice_begin()[state]; k < experience_.choice_begin()[state + 1]; ++k)
    least = std::min(least, steps_to_untried(k));
  reach_[state] = least;
}

}  // namespace c2rl
