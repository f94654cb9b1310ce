#pragma once

#include <array>
#include <limits>
#include <vector>

#include "c2rl/mdp/policy.h"
#include "c2rl/offline/dataset.h"
#include "c2rl/offline/empirical_model.h"

namespace c2rl {

/// The complete episodes of a dataset. Keeps references.
struct CompleteEpisodes {
  const Dataset& dataset;
  const VisitedStates& visited;
  const StepRange& range;
  std::vector<int> longest_first;
  int longest = 0;  // steps

  CompleteEpisodes(const Dataset& dataset, const VisitedStates& visited, const StepRange& range);
};

inline constexpr int kAllSteps = std::numeric_limits<int>::max();

/// How much more likely the policy than the behaviour makes each step and episode.
class EpisodeWeights {
 public:
  /// An InputError unless there are at least two complete episodes. Keeps a reference to the episodes.
  EpisodeWeights(const CompleteEpisodes& episodes, const Policy& policy);

  const CompleteEpisodes& episodes() const { return episodes_; }
  /// Policy over behaviour probability of what a transition of a complete episode did.
  double ratio(int transition) const { return ratio_[transition]; }
  /// Some episode has weight through this many steps; from then on all weights are zero.
  int followed_steps() const { return followed_steps_; }
  /// Kish's size of the weights of whole episodes; 0 where all are zero.
  double effective_episodes() const { return effective_episodes_; }

 private:
  const CompleteEpisodes& episodes_;
  std::vector<double> ratio_;
  int followed_steps_ = 0;
  double effective_episodes_ = 0;
};

// Estimates by weighing episodes. See OffPolicyMethod.

/// G_t = ratio_t (c_t + discount G_{t+1}), the mean of G_0 over the episodes; without products of ratios.
void importance(const EpisodeWeights& weights, Vector& measurement, Vector& standard_error);

/// sum_t discount^t sum_e w_t c_t / sum_e w_t, w_t being the product of the ratios through step t; an episode
/// that is over keeps its weight and measures nothing. The standard error is by the delta method.
void weighted_importance(const EpisodeWeights& weights, Vector& measurement, Vector& standard_error);

/// G_t = V(s_t) + ratio_t (c_t + discount G_{t+1} - Q(s_t, a_t)), the mean of G_0 over the episodes; the
/// values for even episodes are fitted to the odd ones and the other way round.
void doubly_robust(const EpisodeWeights& weights, const std::array<EmpiricalModel, 2>& halves,
                   const Policy& policy, Vector& measurement, Vector& standard_error);

}  // namespace c2rl
