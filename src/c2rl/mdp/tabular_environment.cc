#include <algorithm>
#include <utility>

#include "c2rl/base/error.h"
#include "c2rl/mdp/environment.h"
#include "c2rl/mdp/sampling.h"
#include "c2rl/mdp/world.h"

namespace c2rl {
namespace {

class TabularEnvironment : public Environment {
 public:
  TabularEnvironment(std::shared_ptr<const TabularModel> model, std::shared_ptr<const Sampler> sampler,
                     int batch)
      : Environment(batch, model->dim(), model->horizon),
        model_(std::move(model)),
        sampler_(std::move(sampler)) {}

  int state_count() const override { return model_->states; }
  int action_count(int state) const override { return model_->actions(state); }

 private:
  void begin(int slot) override { enter(slot, sampler_->start(streams_[slot].uniform())); }

  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      const int e =
          sampler_->transition(model_->choice_begin[states_[slot]] + actions.indices()[slot], streams_[slot]);
      measurement_.col(slot) = model_->measurement.col(e);
      enter(slot, model_->next[e]);
    }
  }

  void enter(int slot, int state) {
    states_[slot] = state;
    terminated_[slot] = model_->is_terminal(state) ? 1 : 0;
  }

  std::shared_ptr<const TabularModel> model_;
  std::shared_ptr<const Sampler> sampler_;
};

/// Whether there is one start, and each choice has one outcome.
bool is_deterministic(const TabularModel& model) {
  if ((model.start.array() > 0).count() != 1) return false;
  for (int k = 0; k < model.choices(); ++k) {
    const auto first = model.probability.begin() + model.transition_begin[k];
    const auto last = model.probability.begin() + model.transition_begin[k + 1];
    if (std::count_if(first, last, [](double p) { return p > 0; }) != 1) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Environment> make_tabular_environment(std::shared_ptr<const TabularModel> model, int batch) {
  const auto sampler = std::make_shared<const Sampler>(*model);
  return std::make_unique<TabularEnvironment>(std::move(model), sampler, batch);
}

World make_world(std::vector<std::string> measurements, int states, double discount, int horizon,
                 std::function<ModelPart(int index, int of)> part) {
  World world;
  world.measurements = std::move(measurements);
  world.discount = discount;
  world.horizon = world.episode_limit = horizon;
  world.states = states;
  world.part = [=, part = std::move(part)](int index, int of) {
    ModelPart made = part(index, of);
    made.discount = discount;
    made.horizon = horizon;
    validate(made);
    return made;
  };
  world.environment = [](int) -> std::unique_ptr<Environment> {
    throw InputError({.field = "environment.partitioned"},
                     "is true: the model is in parts, which only planning can use");
  };
  return world;
}

World make_world(std::shared_ptr<const TabularModel> model) {
  const auto sampler = std::make_shared<const Sampler>(*model);
  World world;
  world.measurements = model->measurements;
  world.discount = model->discount;
  world.horizon = model->horizon;
  world.episode_limit = sampler->episode_limit();
  world.deterministic = is_deterministic(*model);
  for (int s = 0; s < model->states; ++s) world.has_goal = world.has_goal || model->is_terminal(s);
  world.states = model->states;
  world.actions = model->max_actions();
  world.environment = [model, sampler](int batch) {
    return std::make_unique<TabularEnvironment>(model, sampler, batch);
  };
  world.model = std::move(model);
  return world;
}

World make_world(const TabularModel& model) {
  return make_world(std::shared_ptr<const TabularModel>(std::shared_ptr<void>(), &model));
}

}  // namespace c2rl
