#include <algorithm>
#include <utility>

#include "c2rl/mdp/environment.h"

namespace c2rl {
namespace {

class TabularEnvironment : public Environment {
 public:
  TabularEnvironment(std::shared_ptr<const TabularModel> model, int batch)
      : Environment(batch, model->dim(), model->horizon), model_(std::move(model)) {
    double sum = 0;
    for (int s = 0; s < model_->states; ++s) {
      if (model_->start[s] == 0) continue;
      start_states_.push_back(s);
      start_sums_.push_back(sum += model_->start[s]);
    }
  }

  int state_count() const override { return model_->states; }
  int action_count(int state) const override { return model_->actions(state); }

 private:
  void begin(int slot) override {
    // The sums may end a rounding below 1: what is past them belongs to the last state.
    const auto found = std::upper_bound(start_sums_.begin(), start_sums_.end() - 1, streams_[slot].uniform());
    enter(slot, start_states_[found - start_sums_.begin()]);
  }

  void advance(std::span<const int> actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (ended(slot)) continue;
      const int e = draw(model_->choice_begin[states_[slot]] + actions[slot], streams_[slot].uniform());
      measurement_.col(slot) = model_->measurement.col(e);
      enter(slot, model_->next[e]);
    }
  }

  /// The transition of a choice that a uniform number on [0, 1) falls on.
  int draw(int choice, double uniform) const {
    int e = model_->transition_begin[choice];
    double left = uniform - model_->probability[e];
    while (left >= 0 && e + 1 < model_->transition_begin[choice + 1]) left -= model_->probability[++e];
    while (model_->probability[e] == 0) --e;  // rounding left a rest: the last possible transition
    return e;
  }

  void enter(int slot, int state) {
    states_[slot] = state;
    terminated_[slot] = model_->is_terminal(state) ? 1 : 0;
  }

  std::shared_ptr<const TabularModel> model_;
  std::vector<int> start_states_;
  std::vector<double>
      start_sums_;  // start_sums_[i]: probability of starting in one of the first i + 1 of them
};

}  // namespace

std::unique_ptr<Environment> make_tabular_environment(std::shared_ptr<const TabularModel> model, int batch) {
  return std::make_unique<TabularEnvironment>(std::move(model), batch);
}

}  // namespace c2rl
