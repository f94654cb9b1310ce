#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
std::string to_string(Returns returns);
/// An unknown name is an InputError that suggests the nearest one.
Returns returns_from_string(const std::string& name);

struct A2cOptions {
  /// The network: hidden layers that actor and critic share, each with a linear head.
  std::vector<int> hidden = {128};
  Activation activation = Activation::relu;
  /// Environment steps of training per call: with 300,000 the optima of the navigation task are found in 250
  /// of 250 runs.
  std::int64_t training_steps = 500'000;
  /// Episodes that step together, and steps of each between two updates of the network.
  int environments = 64;
  int rollout_steps = 32;
  /// Adam's, decaying linearly over the training.
  double learning_rate = 1e-2;
  double learning_rate_last = 1e-3;
  /// What is a step later counts by this much less while learning; 0 stands for the environment's own
  /// discount or, where that is 1, 1 - 1 / horizon. An episode that is cut would have gone on, so that without
  /// a discount nothing would bound the value of going on.
  double training_discount = 0;
  /// A cost per step while learning, of the largest cost a step had so far: of policies that measure nearly the
  /// same, the one with shorter episodes is preferred. More effort means a smaller one.
  double step_cost = 0.02;
  Returns returns = Returns::gae;
  double gae_lambda = 0.95;
  /// Advantages of a rollout are scaled to standard deviation 1, so that no other number here depends on the
  /// size of what is measured.
  bool normalize_advantages = true;
  /// The bonus for entropy keeps the actor exploring. It decays linearly over this part of the training;
  /// without the decay the actor would never commit itself.
  double entropy_first = 0.5;
  double entropy_last = 0.0;
  double entropy_decay_part = 0.9;
  /// Of the critic's loss beside the actor's.
  double value_weight = 0.5;
  double max_gradient_norm = 0.5;
  /// Whether the answer draws its actions or takes the likeliest. What is best on average is deterministic.
  Execution execution = Execution::greedy;
  /// Training goes on from the stored policy that is best in the direction, instead of from a random one.
  bool warm_start = false;
  /// Training stops at a check that finds the policy as good as the solver has use for.
  bool early_stop = false;
  /// How often, evenly over the second half of the training, the policy is tried on fresh episodes; the best
  /// is the answer, and is evaluated on others.
  int checks = 4;
  EvaluationOptions evaluation = {};

  /// An InputError names the field that is out of its range.
  void validate() const;
};

/// Reads them from an [oracle] section; keys that mean nothing with the other values stay unknown.
A2cOptions read_a2c(const Config& section, const World& world);

/// Advantage actor-critic (Mnih et al. 2016) on many episodes at once. Knows the world by acting in it; its
/// answers are estimates.
class A2c final : public Oracle {
 public:
  explicit A2c(World world, const A2cOptions& options = {});

  int dim() const override { return world_.dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) override;

  World world_;
  A2cOptions options_;
};

}  // namespace c2rl
