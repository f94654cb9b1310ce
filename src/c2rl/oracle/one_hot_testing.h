#pragma once

#include <memory>
#include <utility>

#include "c2rl/mdp/world.h"

namespace c2rl {

/// An environment whose states are shown as one-hot vectors of features instead of by their index.
class OneHotEnvironment final : public Environment {
 public:
  OneHotEnvironment(std::shared_ptr<const TabularModel> model, int batch)
      : Environment(batch, model->dim(), model->horizon, model->states),
        model_(model),
        inside_(make_tabular_environment(std::move(model), batch)) {}

  int state_count() const override { return 0; }
  int action_count(int /*state*/) const override { return model_->max_actions(); }

 private:
  void begin(int slot) override {
    inside_->reset(slot, streams_[slot]);
    show(slot);
  }
  void advance(const Actions& actions) override {
    inside_->step(actions);
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      measurement_.col(slot) = inside_->measurement().col(slot);
      show(slot);
    }
  }
  void show(int slot) {
    features_.col(slot).setZero();
    features_(inside_->states()[slot], slot) = 1;
    terminated_[slot] = inside_->terminated(slot);
  }

  std::shared_ptr<const TabularModel> model_;
  std::unique_ptr<Environment> inside_;
};

/// Every state of the model has the same number of actions.
inline World one_hot_world(const std::shared_ptr<const TabularModel>& model) {
  World world = make_world(model);
  world.features = std::exchange(world.states, 0);
  world.model = nullptr;
  world.environment = [model](int batch) { return std::make_unique<OneHotEnvironment>(model, batch); };
  return world;
}

}  // namespace c2rl
