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
  int replays = 16;
  double exploration = 0.5;
  double coverage = 0.25;
  double epsilon = 0.1;
  double step_cost = 1e-4;
  EvaluationOptions evaluation = {.evaluation_episodes = 1000};

  /// Ranges and reasons.
  void visit(OptionVisitor& visitor);
};

/// Tabular Q-learning with replay: knows the model only by acting in it, from the start of an episode to its
/// end, but remembers all that it sees and learns from that again and again. Each call trains from scratch on
/// the cost direction.measurement, freezes the policy that is best by what was seen, and evaluates that; its
/// answers are estimates.
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
