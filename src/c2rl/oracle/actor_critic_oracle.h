#pragma once

#include <cstdint>
#include <vector>

#include "c2rl/base/enum_names.h"
#include "c2rl/base/options.h"
#include "c2rl/mdp/world.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/oracle/policy_evaluation.h"

namespace c2rl {

/// What a critic's estimate of an action is made of.
enum class Returns {
  gae,          // temporal differences, those further ahead weighted down by lambda (Schulman et al. 2016)
  n_step,       // what was measured until the end of the rollout, and the critic's value there
  monte_carlo,  // what was measured until the end of the episode: a rollout is a batch of whole episodes
};
const EnumNames<Returns>& returns_names();

/// As they stand, those of a2c.
struct ActorCriticOptions {
  std::vector<int> hidden = {128};
  bool shared = true;
  Activation activation = Activation::relu;
  std::int64_t training_steps = 500'000;
  int environments = 64;
  int rollout_steps = 32;
  /// Many steps of Adam on a rollout, each held back by the clip, instead of a single one (ppo).
  bool clipped = false;
  int epochs = 1;
  int minibatch = 0;  // 0: the whole rollout
  double clip = 0.2;
  double clip_last = 0.2;
  double kl_limit = 0;
  double learning_rate = 1e-2;
  double learning_rate_last = 1e-3;
  double training_discount = 0;
  double step_cost = 0.05;
  Returns returns = Returns::gae;
  double gae_lambda = 0.95;
  bool normalize_observations = false;
  bool normalize_advantages = true;
  double entropy_first = 0.5;
  double entropy_last = 0.0;
  double entropy_decay_part = 0.9;
  double spread = 1;
  bool squashed = false;
  double value_weight = 0.5;
  double max_gradient_norm = 0.5;
  Execution execution = Execution::greedy;
  bool warm_start = false;
  int threads = 1;
  bool early_stop = false;
  int checks = 4;
  EvaluationOptions evaluation = {};

  ChoiceOptions choice() const { return {early_stop, checks, evaluation}; }
  /// Ranges and reasons.
  void visit(OptionVisitor& visitor);
};
/// Those of ppo.
ActorCriticOptions ppo_options();

/// An actor that learns by acting, and a critic that tells it what to expect of each measurement: advantage
/// actor-critic (Mnih et al. 2016) and proximal policy optimisation (Schulman et al. 2017), on many episodes at
/// once. Its answers are estimates.
class ActorCriticOracle final : public Oracle {
 public:
  /// An InputError names the option that is out of its range, or that the world is not made for.
  explicit ActorCriticOracle(World world, const ActorCriticOptions& options = {});

  int dim() const override { return world_.dim(); }
  bool goes_on() const override { return options_.warm_start; }
  const ActorCriticOptions& options() const { return options_; }

 private:
  OracleAnswer answer(const OracleCall& call) const override;

  World world_;
  ActorCriticOptions options_;
};

}  // namespace c2rl
