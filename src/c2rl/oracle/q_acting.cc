#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/oracle/q_training.h"

namespace c2rl {

QTrainingInModel::QTrainingInModel(const TabularModel& model, const Sampler& sampler,
                                   const QLearningOptions& options, const Vector& direction, const Rng& rng)
    : QTraining(Experience(model, direction), sampler.episode_limit(), options, rng),
      model_(model),
      sampler_(sampler) {}

void QTrainingInModel::act(std::int64_t steps) {
  for (const std::int64_t until = env_steps_ + steps; env_steps_ < until; ++env_steps_) {
    if (walk_.state < 0) begin(walk_, sampler_.start(rng_.uniform()));
    if (model_.is_terminal(walk_.state)) {
      walk_.state = -1;  // it is over where it began; counted, so that this comes to an end
      continue;
    }
    const int choice = decide(walk_);
    const int transition = sampler_.transition(choice, rng_);
    note(walk_, experience_.add(walk_.state, choice, transition));
    const int next = model_.next[transition];
    go_on(walk_, model_.is_terminal(next) || ++walk_.step == limit_ ? -1 : next);
  }
}

/// Where nothing is left to chance, more visits teach nothing more.
bool QTrainingInModel::knows_enough(std::int64_t steps) const {
  return env_steps_ >= steps / 4 && !experience_.is_random();
}

void QTrainingInModel::visit(StateVisitor& state, const World& world) {
  QTraining::visit(state, world);
  state.value("state", walk_.state);
  state.value("step", walk_.step);
  state.value("exploring", walk_.exploring);
  state.expect(walk_.state >= -1 && walk_.state < model_.states && walk_.step >= 0, "state");
  if (state.restores()) walk_.followed = false;
}

namespace {

/// Episodes that step together: environments are often other processes.
constexpr int kTogether = 8;

}  // namespace

QTrainingInWorld::QTrainingInWorld(const World& world, const QLearningOptions& options,
                                   const Vector& direction, const Rng& rng, const Safetensors* seen)
    : QTrainingInWorld(world, world.environment(kTogether), options, direction, rng, seen) {}

QTrainingInWorld::QTrainingInWorld(const World& world, std::unique_ptr<Environment> environment,
                                   const QLearningOptions& options, const Vector& direction, const Rng& rng,
                                   const Safetensors* seen)
    : QTraining(Experience(world, *environment, direction), world.episode_limit, options, rng),
      environment_(std::move(environment)),
      walks_(kTogether),
      choices_(kTogether, 0),
      actions_(kTogether, 0) {
  try {
    if (seen) experience_.take_up(*seen);
  } catch (const UnfitState& error) {
    throw InputError({.field = "memory"},
                     fmt::format("what earlier calls have left is not of this oracle: {}", error.what()));
  }
  remembered_ = experience_.steps();
}

/// False where it was over where it began.
bool QTrainingInWorld::begin_episode(int slot) {
  environment_->reset(slot, rng_.fork("episode", episodes_++));
  if (environment_->ended(slot)) {
    walks_[slot].state = -1;
    ++env_steps_;  // so that this comes to an end
    return false;
  }
  begin(walks_[slot], environment_->states()[slot]);
  return true;
}

void QTrainingInWorld::act(std::int64_t steps) {
  const std::int64_t until = env_steps_ + steps;
  while (true) {
    int going = 0;
    for (int slot = 0; slot < kTogether; ++slot) {
      Walk& walk = walks_[slot];
      // What goes on when the steps are used up may end.
      if (walk.state < 0 && (env_steps_ + going >= until || !begin_episode(slot))) continue;
      choices_[slot] = decide(walk);
      actions_[slot] = choices_[slot] - experience_.choice_begin()[walk.state];
      ++going;
    }
    if (going == 0 && env_steps_ >= until) return;
    if (going == 0) continue;
    environment_->step(Actions(actions_));
    for (int slot = 0; slot < kTogether; ++slot) {
      Walk& walk = walks_[slot];
      if (walk.state < 0) continue;
      const int next = environment_->terminated(slot) ? experience_.states() : environment_->states()[slot];
      measured_ = environment_->measurement().col(slot);
      note(walk, experience_.add(walk.state, choices_[slot], next, measured_));
      ++env_steps_;
      ++walk.step;
      go_on(walk, environment_->ended(slot) ? -1 : next);
    }
  }
}

/// Where nothing is left to chance, it is enough to have tried everything once; but chance may show late.
bool QTrainingInWorld::knows_enough(std::int64_t steps) const {
  return experience_.steps() >= static_cast<double>(steps) / 4 && !experience_.is_random() &&
         (env_steps_ >= steps / 4 || experience_.is_complete());
}

void QTrainingInWorld::visit(StateVisitor& state, const World& world) {
  QTraining::visit(state, world);
  state.value("episodes", episodes_);
}

std::shared_ptr<const Safetensors> QTrainingInWorld::seen() {
  auto left = std::make_shared<Safetensors>();
  auto state = StateVisitor::saving(*left);
  experience_.visit(state);
  return left;
}

}  // namespace c2rl
