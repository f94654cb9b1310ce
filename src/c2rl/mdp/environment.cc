#include "c2rl/mdp/environment.h"

#include <stdexcept>

#include <fmt/format.h>

namespace c2rl {

Environment::Environment(int batch, int dim, int horizon, int features, int controls)
    : states_(batch, 0),
      features_(Eigen::MatrixXf::Zero(features, batch)),
      streams_(batch, Rng(0)),
      measurement_(Matrix::Zero(dim, batch)),
      terminated_(batch, 1),
      truncated_(batch, 0),
      horizon_(horizon),
      controls_(controls),
      steps_(batch, 0) {}

void Environment::prepare(int slot, const Rng& stream) {
  if (slot < 0 || slot >= batch()) {
    throw std::logic_error(fmt::format("reset: slot {} of a batch of {}", slot, batch()));
  }
  streams_[slot] = stream;
  measurement_.col(slot).setZero();
  terminated_[slot] = 0;
  truncated_[slot] = 0;
  steps_[slot] = 0;
}

void Environment::reset(int slot, const Rng& stream) {
  prepare(slot, stream);
  begin(slot);
}

void Environment::reset(std::span<const int> slots, std::span<const Rng> streams) {
  if (slots.size() != streams.size()) throw std::logic_error("reset: not a stream for every slot");
  for (std::size_t i = 0; i < slots.size(); ++i) prepare(slots[i], streams[i]);
  begin_all(slots);
}

void Environment::begin_all(std::span<const int> slots) {
  for (const int slot : slots) begin(slot);
}

void Environment::reset(const Rng& rng, std::uint64_t first) {
  for (int slot = 0; slot < batch(); ++slot) reset(slot, rng.fork("episode", first + slot));
}

void Environment::check(const Actions& actions) const {
  if (actions.size() != batch()) {
    throw std::logic_error(fmt::format("step: {} actions for a batch of {}", actions.size(), batch()));
  }
  if (actions.are_indices() != (controls_ == 0))
    throw std::logic_error(controls_ == 0 ? "step: real numbers where actions are numbered"
                                          : "step: numbered actions where they are real numbers");
  if (controls_ > 0 && actions.values().rows() != controls_) {
    throw std::logic_error(
        fmt::format("step: {} numbers an action, expected {}", actions.values().rows(), controls_));
  }
  for (int slot = 0; slot < batch(); ++slot) {
    if (ended(slot)) continue;
    if (controls_ > 0) {
      if (!actions.values().col(slot).allFinite())
        throw std::logic_error(fmt::format("step: slot {}: an action that is not finite", slot));
      continue;
    }
    const int action = actions.indices()[slot], count = action_count(states_[slot]);
    if (action < 0 || action >= count) {
      throw std::logic_error(
          fmt::format("step: action {} in state {}, which has {}", action, states_[slot], count));
    }
  }
}

void Environment::step(const Actions& actions) {
  check(actions);
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
