#include "c2rl/oracle/policy_evaluation.h"

#include "c2rl/base/enum_names.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/monte_carlo.h"

namespace c2rl {
namespace {

const EnumNames<PolicyEvaluation>& names() {
  static const EnumNames<PolicyEvaluation> kNames("evaluation", {"monte-carlo", "exact"});
  return kNames;
}

}  // namespace

std::string to_string(PolicyEvaluation evaluation) {
  return names().of(evaluation);
}

PolicyEvaluation policy_evaluation_from_string(const std::string& name) {
  return names().parse(name);
}

EvaluationOptions read_evaluation(const Config& section, const World& world) {
  EvaluationOptions options;
  options.evaluation = policy_evaluation_from_string(
      section.choice("evaluation", names().all(), to_string(options.evaluation)));
  if (options.evaluation == PolicyEvaluation::exact && !world.model)
    section.fail("evaluation", "this environment has no model to compute from; expected monte-carlo");
  const std::int64_t episodes = section.integer("evaluation_episodes", options.evaluation_episodes);
  section.expect(episodes >= 2 && episodes <= 100'000'000, "evaluation_episodes",
                 "a whole number from 2 to 100000000");
  options.evaluation_episodes = static_cast<int>(episodes);
  return options;
}

void evaluate_policy(const World& world, const EvaluationOptions& options, const Rng& rng,
                     OracleAnswer& answer) {
  if (options.evaluation == PolicyEvaluation::exact) {
    answer.measurement = evaluate(*world.model, *answer.policy).measurement;
    answer.standard_error = Vector::Zero(world.dim());
    return;
  }
  const Estimate found = estimate(world, *answer.policy, options.evaluation_episodes, rng);
  answer.measurement = found.measurement;
  answer.standard_error = found.standard_error;
  answer.env_steps += found.env_steps;
}

}  // namespace c2rl
