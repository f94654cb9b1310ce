#pragma once

#include <cmath>
#include <memory>

#include "c2rl/mdp/world.h"

namespace c2rl {

/// One step: a number is seen, far from 0 and of no size to speak of, and two are aimed at it. Measures how far off
/// each is, squared; the best there is is a policy that reads the number.
class Aim final : public Environment {
 public:
  explicit Aim(int batch) : Environment(batch, 2, 1, /*features=*/1, /*controls=*/2) {}
  int state_count() const override { return 0; }
  int action_count(int /*state*/) const override { return 0; }

  static World world() {
    World world;
    world.measurements = {"first", "second"};
    world.horizon = world.episode_limit = 1;
    world.features = 1;
    world.controls = 2;
    world.environment = [](int batch) { return std::make_unique<Aim>(batch); };
    return world;
  }

 private:
  void begin(int slot) override {
    features_(0, slot) = static_cast<float>(100 + 0.01 * (2 * streams_[slot].uniform() - 1));
  }
  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      const double seen = (features_(0, slot) - 100) / 0.01;
      const Eigen::VectorXf aimed = actions.values().col(slot).cwiseMax(-1.0f).cwiseMin(1.0f);
      measurement_(0, slot) = std::pow(aimed[0] - 0.5 * seen, 2);
      measurement_(1, slot) = std::pow(aimed[1] + 0.25 * seen, 2);
      terminated_[slot] = 1;
    }
  }
};

}  // namespace c2rl
