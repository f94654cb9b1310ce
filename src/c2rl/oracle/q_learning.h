#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "c2rl/mdp/model.h"
#include "c2rl/mdp/sampling.h"
#include "c2rl/oracle/oracle.h"

namespace c2rl {

/// How J of a trained policy is found.
enum class PolicyEvaluation {
  monte_carlo,  // from fresh episodes, with a standard error
  exact,        // from the model
};
std::string to_string(PolicyEvaluation evaluation);
/// An unknown name is an InputError that suggests the nearest one.
PolicyEvaluation policy_evaluation_from_string(const std::string& name);

struct QLearningOptions {
  /// Environment steps of training per call: twice what finds the navigation task's optima in 100 of 100
  /// runs, and a few milliseconds.
  std::int64_t training_steps = 20'000;
  /// Where all values start. Zero is optimistic as long as costs are positive: what was not tried looks best,
  /// so that the learner explores systematically.
  double initial_value = 0;
  /// The n-th update of a value moves it by n^-power of the way, and never by less than the floor. Powers in
  /// (1/2, 1] average noise away; the floor forgets the early values, which were built on values still
  /// unlearnt.
  double learning_rate_power = 0.6;
  double learning_rate_floor = 0.1;
  /// The probability of a random action, decaying linearly from first to last over this part of the training,
  /// and staying there: the rest refines what will be the answer.
  double epsilon_first = 0.5;
  double epsilon_last = 0.05;
  double epsilon_decay_part = 0.5;
  /// Sampling is all that is possible where the model is not known; it is what training does, too.
  PolicyEvaluation evaluation = PolicyEvaluation::monte_carlo;
  /// Episodes of a sampled evaluation: a standard error of a tenth of the spread between episodes.
  int evaluation_episodes = 100;

  /// An InputError names the field that is out of its range.
  void validate() const;
};

/// Tabular Q-learning: knows the model only by sampling from it. Each call trains from scratch on the cost
/// direction.measurement, freezes the greedy policy, and evaluates that; its answers are estimates.
class QLearning final : public Oracle {
 public:
  /// The model is validated.
  explicit QLearning(std::shared_ptr<const TabularModel> model, const QLearningOptions& options = {});

  int dim() const override { return model_->dim(); }

 private:
  OracleAnswer answer(const Vector& direction, const Rng& rng, double effort) override;

  std::shared_ptr<const TabularModel> model_;
  QLearningOptions options_;
  Sampler sampler_;
};

}  // namespace c2rl
