#pragma once

#include <vector>

#include "c2rl/base/options.h"
#include "c2rl/mdp/world.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/oracle/replay_training.h"
#include "c2rl/oracle/soft_actor_critic.h"

namespace c2rl {

struct SacOptions {
  std::vector<int> hidden = {64, 64};
  Activation activation = Activation::relu;
  ReplayOptions replay = {.training_steps = 50'000, .updates_per_step = 1};
  double hold = 1;
  double learning_rate = 1e-3;
  double learning_rate_last = 1e-3;
  double target_rate = 0.005;
  double first_temperature = 1;
  double target_entropy = -1;
  Execution execution = Execution::greedy;
  ChoiceOptions choice = {.early_stop = true, .checks = 4, .evaluation = {.evaluation_episodes = 20}};

  /// Ranges and reasons.
  void visit(OptionVisitor& visitor);
};

/// One training run of soft actor-critic that acts.
class SacTraining final : public ReplayTraining {
 public:
  /// Keeps references to world and options.
  SacTraining(const World& world, const SacOptions& options, const OracleCall& call);

  PolicyPtr policy() const override;
  /// On the point robot that takes less training, and less of all else. With dqn it leaves more runs without an answer: on the
  /// rover, what training goes on to where actions are numbered may be another policy altogether.
  bool wants_room() const override { return true; }

 private:
  void choose(bool at_random, Rng& draws) override;
  void learn() override;
  void renew() override;
  void turn_to(const Eigen::VectorXf& direction);
  void visit_learner(StateVisitor& state) override;
  void visit_knowledge(StateVisitor& state) override { learner_.visit_knowledge(state); }

  const SacOptions& options_;
  SoftActorCritic learner_;
  Eigen::VectorXf scaled_prices_;
};

/// Soft actor-critic by acting, for actions that are real numbers, where an action has a value for every measurement,
/// and where what earlier calls have seen is not forgotten: it is as true for the next direction.
class Sac final : public Oracle {
 public:
  /// An InputError names the option that is out of its range, or that the world is not made for.
  explicit Sac(World world, const SacOptions& options = {});

  int dim() const override { return world_.dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) const override;

  World world_;
  SacOptions options_;
};

}  // namespace c2rl
