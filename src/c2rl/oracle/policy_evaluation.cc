#include "c2rl/oracle/policy_evaluation.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/monte_carlo.h"

namespace c2rl {

const EnumNames<PolicyEvaluation>& policy_evaluation_names() {
  static const EnumNames<PolicyEvaluation> kNames("evaluation", {"monte-carlo", "exact"});
  return kNames;
}

void EvaluationOptions::visit(OptionVisitor& visitor) {
  visitor.choice("evaluation", evaluation, policy_evaluation_names(),
                 "how J of a policy is found: from fresh episodes, which is all that is possible where there "
                 "is no model, or computed from the model");
  visitor.integer(
      "evaluation_episodes", evaluation_episodes, between(2, 1e8),
      "those of a sampled evaluation: 100 make a standard error of a tenth of the spread between episodes");
}

void ChoiceOptions::visit(OptionVisitor& visitor) {
  visitor.flag(
      "early_stop", early_stop,
      "training stops at a check that finds the policy as good as the solver has use for, where fresh "
      "episodes agree");
  visitor.integer(
      "checks", checks, between(1, 1000),
      "how often, evenly over the second half of the training, the policy is tried on fresh "
      "episodes; the best is the answer and, where it was the best of several, is evaluated on others");
  evaluation.visit(visitor);
}

void check_evaluation(const EvaluationOptions& options, const World& world) {
  if (options.evaluation == PolicyEvaluation::exact && !world.model) {
    throw InputError({.field = "evaluation"},
                     "this environment has no model to compute from; expected " +
                         policy_evaluation_names().of(PolicyEvaluation::monte_carlo));
  }
  // The totals of all episodes are kept until they are summed up: 2 GB.
  constexpr double kMostTotals = 250e6;
  if (double{1} * options.evaluation_episodes * world.dim() > kMostTotals) {
    throw InputError({.field = "evaluation_episodes"},
                     fmt::format("found {}, expected at most {:.0f} with {} measurements",
                                 options.evaluation_episodes, kMostTotals / world.dim(), world.dim()));
  }
}

void evaluate_policy(const World& world, const EvaluationOptions& options, const Rng& rng,
                     OracleAnswer& answer, const Pulse& listener) {
  if (options.evaluation == PolicyEvaluation::exact) {
    answer.measurement = evaluate(*world.model, *answer.policy, listener).measurement;
    answer.standard_error = Vector::Zero(world.dim());
    answer.computed = true;
    return;
  }
  // Where nothing is left to chance, one episode is like all others.
  answer.computed = world.deterministic && answer.policy->is_deterministic();
  const int count = answer.computed ? 1 : options.evaluation_episodes;
  answer.episodes = episode_totals(world, *answer.policy, 0, count, rng, listener);
  const Estimate found = summarise(answer.episodes);
  answer.measurement = found.measurement;
  answer.standard_error = found.standard_error;
  answer.steps.evaluation += found.env_steps;
}

}  // namespace c2rl
