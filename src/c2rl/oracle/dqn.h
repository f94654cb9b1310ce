#pragma once

#include <vector>

#include "c2rl/base/options.h"
#include "c2rl/mdp/world.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/deep_q.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/oracle/replay_training.h"

namespace c2rl {

/// As they stand, those for features.
struct DqnOptions {
  std::vector<int> hidden = {64, 64};
  Activation activation = Activation::relu;
  ReplayOptions replay = {.updates_per_step = 1, .batch = 64};
  BatchSampling sampling = BatchSampling::balanced;
  int target_period = 50;
  double learning_rate = 1e-3;
  double learning_rate_last = 1e-4;
  double momentum = 0.9;
  double huber_limit = kInfinity;
  double epsilon_first = 1;
  double epsilon_last = 0.02;
  double epsilon_again = 0.1;
  double exploration_part = 0.3;
  ChoiceOptions choice = {.early_stop = true, .checks = 4, .evaluation = {.evaluation_episodes = 20}};

  /// Ranges and reasons.
  void visit(OptionVisitor& visitor);
};

/// Those that suit what is seen in a world. Where states are numbered, a batch holds each state once, however often it was
/// drawn, so that large ones cost little; and what a single step is worth is told by large ones only.
DqnOptions dqn_options(const World& world);

/// One training run of deep Q-learning that acts, and in which an action is worth what the prices of a direction make
/// of its values. Unless it is conditioned, its network begins anew with every direction: one that has learnt a
/// direction whose best policy never ends has values so large that it takes longer to unlearn them than to learn all
/// from what is remembered. Another attempt at the same direction goes on where the last one left off.
class DqnTraining final : public ReplayTraining {
 public:
  /// Keeps references to world and options.
  DqnTraining(const World& world, const DqnOptions& options, const OracleCall& call);

  PolicyPtr policy() const override { return learner_.policy(); }

 private:
  void choose(bool at_random, Rng& draws) override;
  void learn() override;
  void renew() override;
  void visit_learner(StateVisitor& state) override;
  void visit_knowledge(StateVisitor& state) override;
  void visit_attempt(StateVisitor& state) override;
  void turn_to(const Eigen::VectorXf& direction);
  double epsilon() const;

  const DqnOptions& options_;
  RecordedActions actions_;
  DeepQ learner_;
  std::int64_t grouped_ = 0;  // transitions that the learner draws from
  bool begins_anew_ = true;
  Eigen::MatrixXf scores_;
};

/// Dueling double Q-learning by acting (Mnih et al. 2015, van Hasselt et al. 2016, Wang et al. 2016) where an action has
/// a value for every measurement, and where what earlier calls have seen is not forgotten: it is as true for the next
/// direction. Ddqn is the same without a step of its own.
class Dqn final : public Oracle {
 public:
  /// An InputError names the option that is out of its range, or that the world is not made for.
  explicit Dqn(const World& world) : Dqn(world, dqn_options(world)) {}
  Dqn(World world, const DqnOptions& options);

  int dim() const override { return world_.dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) const override;

  World world_;
  DqnOptions options_;
};

}  // namespace c2rl
