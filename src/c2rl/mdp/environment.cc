#include "c2rl/mdp/environment.h"

#include <stdexcept>

#include <fmt/format.h>

namespace c2rl {

Environment::Environment(int batch, int dim, int horizon, int features)
    : states_(batch, 0),
      features_(Eigen::MatrixXf::Zero(features, batch)),
      streams_(batch, Rng(0)),
      measurement_(Matrix::Zero(dim, batch)),
      terminated_(batch, 1),
      horizon_(horizon),
      steps_(batch, 0),
      truncated_(batch, 0) {}

void Environment::reset(int slot, const Rng& stream) {
  if (slot < 0 || slot >= batch()) {
    throw std::logic_error(fmt::format("reset: slot {} of a batch of {}", slot, batch()));
  }
  streams_[slot] = stream;
  measurement_.col(slot).setZero();
  terminated_[slot] = 0;
  truncated_[slot] = 0;
  steps_[slot] = 0;
  begin(slot);
}

void Environment::reset(const Rng& rng, std::uint64_t first) {
  for (int slot = 0; slot < batch(); ++slot) reset(slot, rng.fork("episode", first + slot));
}

void Environment::step(std::span<const int> actions) {
  if (std::ssize(actions) != batch()) {
    throw std::logic_error(fmt::format("step: {} actions for a batch of {}", actions.size(), batch()));
  }
  for (int slot = 0; slot < batch(); ++slot) {
    const int count = action_count(states_[slot]);
    if (!ended(slot) && (actions[slot] < 0 || actions[slot] >= count)) {
      throw std::logic_error(
          fmt::format("step: action {} in state {}, which has {}", actions[slot], states_[slot], count));
    }
  }
  for (int slot = 0; slot < batch(); ++slot) {
    if (ended(slot)) {
      measurement_.col(slot).setZero();
    } else {
      ++steps_[slot];
    }
  }
  advance(actions);
  if (horizon_ == 0) return;
  for (int slot = 0; slot < batch(); ++slot) {
    if (!terminated(slot) && steps_[slot] >= horizon_) truncated_[slot] = 1;
  }
}

}  // namespace c2rl
