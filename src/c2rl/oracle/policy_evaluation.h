#pragma once

#include "c2rl/base/enum_names.h"
#include "c2rl/base/options.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/oracle.h"

namespace c2rl {

/// How J of a trained policy is found.
enum class PolicyEvaluation {
  monte_carlo,  // from fresh episodes, with a standard error
  exact,        // from the model
};
const EnumNames<PolicyEvaluation>& policy_evaluation_names();

struct EvaluationOptions {
  PolicyEvaluation evaluation = PolicyEvaluation::monte_carlo;
  int evaluation_episodes = 100;

  void visit(OptionVisitor& visitor);
};

/// How an answer is chosen among what a training passes through.
struct ChoiceOptions {
  bool early_stop = false;
  int checks = 4;
  EvaluationOptions evaluation = {};

  void visit(OptionVisitor& visitor);
};

/// An InputError where they ask for what the world has not.
void check_evaluation(const EvaluationOptions& options, const World& world);

/// Fills in what the answer's frozen policy measures, and adds the steps that took.
void evaluate_policy(const World& world, const EvaluationOptions& options, const Rng& rng,
                     OracleAnswer& answer, const Pulse& listener);

}  // namespace c2rl
