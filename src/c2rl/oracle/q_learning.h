#pragma once

#include <cstdint>
#include <memory>
#include <optional>

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

class QTraining;

/// Tabular Q-learning with replay: knows the world only by acting in it, from the start of an episode to its
/// end, but remembers all that it sees and learns from that again and again. Each call trains on
/// the cost direction.measurement, freezes the policy that is best by what was seen, and evaluates that; its
/// answers are estimates. Steps in a model cost nothing, so that a call there begins from scratch; elsewhere it begins
/// with all that earlier calls have seen.
class QLearning final : public Oracle {
 public:
  /// The model is validated. An InputError names the option that is out of its range.
  explicit QLearning(std::shared_ptr<const TabularModel> model, const QLearningOptions& options = {});
  /// States and actions are numbered.
  explicit QLearning(World world, const QLearningOptions& options = {});

  int dim() const override { return world_.dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) const override;
  /// Fills in the policy and its steps.
  void train(const OracleCall& call, QTraining& training, OracleAnswer& answer) const;

  World world_;
  QLearningOptions options_;
  std::optional<Sampler> sampler_;  // of the model, where there is one
};

}  // namespace c2rl
