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
  std::int64_t training_steps = 20'000;
  double initial_value = 0;
  double learning_rate_power = 0.6;
  double learning_rate_floor = 0.1;
  double epsilon_first = 0.5;
  double epsilon_last = 0.05;
  double epsilon_decay_part = 0.5;
  EvaluationOptions evaluation = {};

  /// Ranges and reasons.
  void visit(OptionVisitor& visitor);
};

/// Tabular Q-learning: knows the model only by sampling from it. Each call trains from scratch on the cost
/// direction.measurement, freezes the greedy policy, and evaluates that; its answers are estimates.
class QLearning final : public Oracle {
 public:
  /// The model is validated. An InputError names the option that is out of its range.
  explicit QLearning(std::shared_ptr<const TabularModel> model, const QLearningOptions& options = {});

  int dim() const override { return model_->dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) const override;

  std::shared_ptr<const TabularModel> model_;
  World world_;
  QLearningOptions options_;
  Sampler sampler_;
};

}  // namespace c2rl
