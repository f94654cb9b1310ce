#pragma once

#include <string>

#include "c2rl/base/config.h"
#include "c2rl/mdp/world.h"
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

struct EvaluationOptions {
  /// Sampling is all that is possible where the model is not known; it is what training does, too.
  PolicyEvaluation evaluation = PolicyEvaluation::monte_carlo;
  /// Episodes of a sampled evaluation: a standard error of a tenth of the spread between episodes.
  int evaluation_episodes = 100;
};

/// Reads `evaluation` and `evaluation_episodes`.
EvaluationOptions read_evaluation(const Config& section, const World& world);

/// Fills in what the answer's frozen policy measures, and adds the steps that took.
void evaluate_policy(const World& world, const EvaluationOptions& options, const Rng& rng,
                     OracleAnswer& answer);

}  // namespace c2rl
