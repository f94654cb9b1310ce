#pragma once

#include <span>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// Where an endless discounted episode is cut, at most this part of the largest possible discounted sum is
/// lost.
inline constexpr double kDiscountedTail = 1e-12;

/// The index that a uniform number on [0, 1) falls on, where index i has probabilities[i]; never one of
/// probability zero. They sum to 1 but for rounding.
int draw(std::span<const double> probabilities, double uniform);

/// Draws from a model, a uniform number on [0, 1) for each. Keeps a reference to the model.
class Sampler {
 public:
  explicit Sampler(const TabularModel& model);

  /// The state an episode starts in.
  int start(double uniform) const;
  /// The transition that taking `choice` leads to.
  int transition(int choice, double uniform) const;
  /// The same, drawing a number only where there is something to decide.
  int transition(int choice, Rng& rng) const {
    const int first = model_.transition_begin[choice];
    return model_.transition_begin[choice + 1] == first + 1 ? first : transition(choice, rng.uniform());
  }
  /// Steps after which an episode is cut: the horizon; without one, where the discounted tail is negligible;
  /// 0: never.
  int episode_limit() const { return episode_limit_; }

 private:
  const TabularModel& model_;
  std::vector<int> start_states_;
  std::vector<double> start_sums_;  // [i]: probability of starting in one of the first i + 1 of them
  int episode_limit_ = 0;
};

}  // namespace c2rl
