#include "c2rl/oracle/q_training.h"

#include <algorithm>

#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/oracle/replayed_policy.h"

namespace c2rl {

QTraining::QTraining(const TabularModel& model, const Sampler& sampler, const QLearningOptions& options,
                     const Vector& direction, const Rng& rng)
    : model_(model),
      sampler_(sampler),
      options_(options),
      rng_(rng),
      experience_(model, direction),
      // Nothing is further away in a world without chance.
      far_(sampler.episode_limit() > 0 ? std::min(model.states, sampler.episode_limit()) : model.states),
      reach_(model.states, 0) {
  for (int s = 0; s < model.states; ++s) {
    if (model.is_terminal(s)) reach_[s] = far_;
  }
}

void QTraining::run(std::int64_t steps, const std::function<void(double)>& report) {
  constexpr std::int64_t kReportSteps = 1 << 14;
  const auto report_part = [&] { report(static_cast<double>(env_steps_) / static_cast<double>(steps)); };
  for (; round_ <= options_.replays; ++round_) {
    const auto until = static_cast<std::int64_t>(static_cast<double>(steps) * round_ / options_.replays);
    while (env_steps_ < until) {
      report_part();
      act(std::min(kReportSteps, until - env_steps_));
      // Where nothing is left to chance, more visits teach nothing more.
      if (env_steps_ >= steps / 4 && !experience_.is_random()) return;
    }
    if (round_ < options_.replays) policy_ = replay(report_part);
  }
}

std::shared_ptr<const TabularPolicy> QTraining::replay(const std::function<void()>& report) const {
  return replayed_policy(experience_, sampler_.episode_limit(), options_.step_cost * experience_.cost_scale(),
                         report);
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
  state.value("state", state_);
  state.value("step", step_);
  state.value("exploring", exploring_);
  state.value("wanted", wanted_);
  state.values("reach", reach_);
  state.value("next_update", next_update_);
  state.expect(round_ >= 1 && state_ >= -1 && state_ < model_.states && step_ >= 0 &&
                   next_update_ <= experience_.states().size(),
               "state");
}

void QTraining::begin_episode() {
  state_ = sampler_.start(rng_.uniform());
  step_ = 0;
  experience_.begin(state_);
  exploring_ = rng_.uniform() < options_.exploration;
  wanted_ = 1 + options_.coverage * static_cast<double>(env_steps_) / model_.choices();
}

void QTraining::act(std::int64_t steps) {
  const int limit = sampler_.episode_limit();
  for (const std::int64_t until = env_steps_ + steps; env_steps_ < until; ++env_steps_) {
    if (state_ < 0) begin_episode();
    if (model_.is_terminal(state_)) {
      state_ = -1;  // it is over where it began; counted, so that this comes to an end
      continue;
    }
    const int choice = decide();
    const int transition = sampler_.transition(choice, rng_);
    experience_.add(state_, choice, transition);
    update_reach(state_);
    // One other state a step, those found last first: what is ahead is known before what leads to it.
    next_update_ = (next_update_ == 0 ? experience_.states().size() : next_update_) - 1;
    update_reach(experience_.states()[next_update_]);
    const int next = model_.next[transition];
    state_ = model_.is_terminal(next) || ++step_ == limit ? -1 : next;
  }
}

int QTraining::decide() {
  if (exploring_) {
    if (const int choice = towards_untried(state_); choice >= 0) return choice;
  }
  if (!policy_ || rng_.uniform() < options_.epsilon) return random_choice(state_);
  return model_.choice_begin[state_] + policy_->action(state_, step_);
}

int QTraining::random_choice(int state) {
  return model_.choice_begin[state] + static_cast<int>(rng_.below(model_.actions(state)));
}

/// -1 where nothing untried is near enough.
int QTraining::towards_untried(int state) const {
  int best = -1;
  double least = far_;
  for (int k = model_.choice_begin[state]; k < model_.choice_begin[state + 1]; ++k) {
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
  for (int k = model_.choice_begin[state]; k < model_.choice_begin[state + 1]; ++k)
    least = std::min(least, steps_to_untried(k));
  reach_[state] = least;
}

}  // namespace c2rl
