#pragma once

#include <cstdint>
#include <memory>

#include "c2rl/mdp/model.h"
#include "c2rl/mdp/sampling.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/oracle/policy_evaluation.h"

namespace c2rl {

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
  EvaluationOptions evaluation = {};

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
  OracleAnswer answer(const OracleCall& call) override;

  std::shared_ptr<const TabularModel> model_;
  World world_;
  QLearningOptions options_;
  Sampler sampler_;
};

}  // namespace c2rl
