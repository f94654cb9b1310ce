#include "c2rl/oracle/replay_training.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/oracle/learning_options.h"
#include "c2rl/oracle/training_threads.h"

namespace c2rl {
namespace {

/// Steps that a mean cost is taken over.
constexpr int kWindow = 256;
/// Updates between two places where a call could be cut short.
constexpr int kUpdatesTogether = 64;

std::int64_t left_to(const OracleCall& call, bool remember) {
  std::int64_t count = 0;
  for (const MemoryPtr& left : call.memory) {
    if (!remember || !left) continue;
    const auto ends = std::ranges::find(left->tensors, "terminated", &Tensor::name);
    if (ends != left->tensors.end()) count += std::ssize(ends->bytes);
  }
  return count;
}

/// Steps of an episode that memory is taken for in advance.
std::int64_t longest_episode(const World& world, std::int64_t steps) {
  constexpr std::int64_t kMost = 1 << 20;
  return std::min({steps, kMost, world.horizon > 0 ? std::int64_t{world.horizon} : kMost});
}

/// A round ends after the step that uses the budget up.
std::int64_t most_steps(const ReplayOptions& options, const OracleCall& call) {
  return call.budget(options.training_steps) + options.environments;
}

}  // namespace

void ReplayOptions::visit(OptionVisitor& visitor) {
  visitor.integer("training_steps", training_steps, between(1, kMostSteps),
                  "environment steps of training per call, unless it stops early");
  visitor.integer("environments", environments, between(1, 100'000), "episodes that step together");
  visitor.number("updates_per_step", updates_per_step, {.lowest = 0, .highest = 1000, .open_below = true},
                 "steps of Adam for every step taken");
  visitor.integer("batch", batch, between(1, 100'000), "transitions of an update, drawn with replacement");
  visitor.integer("first_steps", first_steps, between(1, kMostSteps),
                  "random steps before the first update, where nothing is remembered");
  visitor.flag(
      "remember", remember,
      "a call begins with all that earlier calls of the run have seen and learnt: measurements are kept "
      "as they are, so that what was seen for one direction serves every other");
  visitor.integer("memory", memory, between(1, 1e8), "the steps that are remembered, the latest");
  visitor.integer("updates_before", updates_before, between(0, kMostSteps),
                  "of a call that begins with a memory, before it takes a step of its own");
  visit_time_preference(visitor, step_cost, training_discount);
  visitor.flag("conditioned", conditioned,
               "one network for all directions, which it reads beside what is seen: a call tries it as "
               "earlier calls have left it, and trains it on where that is not good enough, for the "
               "direction asked for, for earlier ones and for some near it; policies of one state of it "
               "share their file");
  visit_threads(visitor, threads);
}

double ReplayOptions::discount(const WorldShape& world) const {
  if (training_discount > 0) return training_discount;
  return world.discount < 1 || world.horizon == 0 ? world.discount : 1 - 1.0 / world.horizon;
}

void ReplayOptions::check(const World& world) const {
  if (conditioned && !remember)
    throw InputError({.field = "conditioned"},
                     "found true, but no call remembers what another has learnt: expected remember = true");
  constexpr double kMostNumbers = 1 << 29;  // 2 GiB
  const double numbers =
      static_cast<double>(memory) * (4.0 + world.dim() + 2.0 * world.features + world.controls);
  if (numbers <= kMostNumbers) return;
  throw InputError({.field = "memory"},
                   fmt::format("found {}, which make {:.0f} numbers here, expected at most {:.0f}", memory,
                               numbers, kMostNumbers));
}

ReplayTraining::ReplayTraining(const World& world, const ReplayOptions& options, const OracleCall& call,
                               const Rng& rng)
    : OnlineTraining(call.budget(options.training_steps)),
      world_(world),
      options_(options),
      rng_(rng),
      environment_(world.to_train_in(options.environments)),
      transitions_(world, world.dim() + 1,
                   std::min(options.memory, left_to(call, options.remember) + most_steps(options, call))),
      chosen_(options.environments, 0),
      controls_(Eigen::MatrixXf::Zero(world.controls, options.environments)),
      asked_(call.direction.cast<float>()),
      acts_(options.environments, 0),
      direction_(call.direction),
      prices_(world.dim() + 1),
      other_prices_(world.dim() + 1),
      other_(world.dim()),
      finished_(options.environments, call.direction, world.discount) {
  prices_.head(world.dim()) = -direction_.cast<float>();
  if (call.keeper || call.saved)
    running_.emplace(options.environments, longest_episode(world, steps_ + 1), world.controls);
}

void ReplayTraining::take_up(const OracleCall& call) {
  if (!options_.remember) return;
  const Safetensors* last = nullptr;
  try {
    for (const MemoryPtr& left : call.memory) {
      if (!left) continue;
      transitions_.append(*left);
      last = left.get();
    }
    if (last) {
      auto state = StateVisitor::restoring(*last);
      if (options_.conditioned) visit_directions(state);
      visit_knowledge(state);
      has_learnt_ = options_.conditioned;
    }
  } catch (const UnfitState& error) {
    throw InputError({.field = "memory"},
                     fmt::format("what earlier calls have left is not of this oracle: {}", error.what()));
  }
  for (int i = 0; i < transitions_.size(); ++i) count_in(i);
  remembered_ = transitions_.added();
  if (transitions_.size() == 0) return;
  if (call.left_off) {
    go_on_from(*call.left_off);
  } else {
    due_ = static_cast<double>(options_.updates_before);
  }
  renew();
}

void ReplayTraining::go_on_from(const Safetensors& left_off) {
  try {
    auto state = StateVisitor::restoring(left_off);
    visit_attempt(state);
    state.value("env_steps", env_steps_);
    state.expect(env_steps_ >= 0, "env_steps");
  } catch (const UnfitState& error) {
    throw InputError({.field = "left_off"}, error.what());
  }
  steps_before_ = env_steps_;
}

MemoryPtr ReplayTraining::left_off() {
  auto left = std::make_shared<Safetensors>();
  auto state = StateVisitor::saving(*left);
  visit_attempt(state);
  state.value("env_steps", env_steps_);
  return left;
}

/// Of many, the last.
void ReplayTraining::visit_directions(StateVisitor& state) {
  constexpr std::size_t kMost = 64;
  const auto m = static_cast<std::size_t>(world_.dim());
  if (!state.restores()) {
    earlier_.insert(earlier_.end(), asked_.begin(), asked_.end());
    if (earlier_.size() > kMost * m)
      earlier_.erase(earlier_.begin(), earlier_.end() - static_cast<std::ptrdiff_t>(kMost * m));
  }
  state.list("directions", earlier_, kMost * m);
  state.expect(
      earlier_.size() % m == 0 && std::ranges::all_of(earlier_, [](float x) { return std::abs(x) <= 1; }),
      "directions");
}

const Eigen::VectorXf& ReplayTraining::direction_to_learn(std::int64_t update) {
  constexpr double kNear = 0.7;  // the spread of the logarithm of each number
  Rng draws = rng_.fork("directions", static_cast<std::uint64_t>(update));
  const auto m = world_.dim();
  const auto known = std::ssize(earlier_) / m;
  const auto which = draws.below(4);
  if (which <= 1 || (which == 2 && known == 0)) return asked_;
  if (which == 2) {
    const auto chosen = static_cast<std::ptrdiff_t>(draws.below(static_cast<std::uint64_t>(known)));
    other_ = Eigen::Map<const Eigen::VectorXf>(earlier_.data() + chosen * m, m);
    return other_;
  }
  // Numbers keep their signs: where one is wanted small, a policy for the opposite may never end, and its values would
  // dwarf all others.
  for (int j = 0; j < m; ++j) other_[j] = asked_[j] * static_cast<float>(std::exp(kNear * draws.normal()));
  other_.stableNormalize();
  return other_;
}

void ReplayTraining::count_in(int place) {
  double sum = 0;
  for (int j = 0; j < world_.dim(); ++j) sum += direction_[j] * transitions_.outcome(j, place);
  cost_ += std::abs(sum);
  if (++counted_ < kWindow) return;
  usual_cost_ = std::max(usual_cost_, cost_ / kWindow);
  cost_ = 0;
  counted_ = 0;
}

double ReplayTraining::usual_cost() const {
  return usual_cost_ > 0 || counted_ == 0 ? usual_cost_ : cost_ / counted_;
}

const Eigen::VectorXf& ReplayTraining::prices() {
  prices_[world_.dim()] = static_cast<float>(-step_cost());
  return prices_;
}

const Eigen::VectorXf& ReplayTraining::prices_for(const Eigen::VectorXf& direction) {
  other_prices_ = prices();
  other_prices_.head(world_.dim()) = -direction;
  return other_prices_;
}

void ReplayTraining::update() {
  if (due_ < 1) {
    act();
    renew();
  }
  learn_for(kUpdatesTogether);
}

void ReplayTraining::learn_for(int most) {
  for (; most > 0 && due_ >= 1; --most) {
    learn();
    due_ -= 1;
  }
}

/// One step in every slot.
void ReplayTraining::act() {
  const Rng episodes = rng_.fork("episodes");
  const int slots = environment_->batch();
  for (int slot = 0; slot < slots; ++slot) {
    if (!environment_->ended(slot)) continue;
    if (running_) running_->begin(slot, episodes_);
    finished_.begin(slot);
    environment_->reset(slot, episodes.fork("episode", episodes_++));
  }
  Rng draws = rng_.fork("actions", rounds_++);
  const bool at_random = remembered_ + env_steps_ < options_.first_steps;
  choose(at_random, draws);
  std::int64_t number = transitions_.added();
  int taken = 0;
  for (int slot = 0; slot < slots; ++slot) {
    acts_[slot] = !environment_->ended(slot);  // it may have where it began
    if (!acts_[slot]) continue;
    const int i = transitions_.add();
    ++taken;
    if (world_.features > 0) {
      transitions_.features.col(i) = environment_->features().col(slot);
    } else {
      transitions_.state[i] = environment_->states()[slot];
    }
    if (world_.controls > 0) {
      transitions_.controls.col(i) = controls_.col(slot);
      if (running_) running_->add(slot, controls_.col(slot));
    } else {
      transitions_.action[i] = chosen_[slot];
      if (running_) running_->add(slot, chosen_[slot]);
    }
  }
  if (taken == 0) {
    env_steps_ = steps_;  // every episode ends where it starts: there is nothing to learn
    return;
  }
  environment_->step(world_.controls > 0 ? Actions(controls_) : Actions(chosen_));
  const int m = world_.dim();
  for (int slot = 0; slot < slots; ++slot) {
    if (!acts_[slot]) continue;
    const int i = transitions_.place(number++);
    if (world_.features > 0) {
      transitions_.next_features.col(i) = environment_->features().col(slot);
    } else {
      transitions_.next_state[i] = environment_->states()[slot];
    }
    transitions_.outcome.col(i).head(m) = environment_->measurement().col(slot).cast<float>();
    transitions_.outcome(m, i) = 1;
    transitions_.terminated[i] = environment_->terminated(slot);
    finished_.add(slot, environment_->measurement().col(slot));
    if (environment_->ended(slot)) finished_.end(slot);
    count_in(i);
  }
  env_steps_ += taken;
  if (!at_random) due_ += options_.updates_per_step * taken;
}

void ReplayTraining::visit(StateVisitor& state) {
  Safetensors own;
  // Of more than there is room for, the last are kept.
  std::int64_t first = std::max(remembered_, transitions_.added() - transitions_.room());
  if (!state.restores()) own = transitions_.since(first);
  state.content("transitions", own);
  state.value("first_transition", first);
  state.expect(first >= remembered_, "first_transition");
  if (state.restores()) transitions_.append(own, first);
  visit_learner(state);
  state.value("env_steps", env_steps_);
  state.value("episodes", episodes_);
  state.value("rounds", rounds_);
  state.value("updates_due", due_);
  state.value("cost", cost_);
  state.value("counted", counted_);
  state.value("usual_cost", usual_cost_);
  finished_.visit(state);
  state.expect(env_steps_ >= 0 && due_ >= 0, "env_steps");
  if (running_) {
    running_->visit(state);
    if (state.restores()) running_->replay(*environment_, rng_.fork("episodes"));
  }
  if (state.restores()) renew();
}

MemoryPtr ReplayTraining::memory() {
  auto left = std::make_shared<Safetensors>(transitions_.since(remembered_));
  auto state = StateVisitor::saving(*left);
  if (options_.conditioned) visit_directions(state);
  visit_knowledge(state);
  return left;
}

}  // namespace c2rl
