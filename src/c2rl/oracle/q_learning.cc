#include "c2rl/oracle/q_learning.h"

#include <algorithm>

#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/q_training.h"
#include "c2rl/oracle/replayed_policy.h"

namespace c2rl {

void QLearningOptions::visit(OptionVisitor& visitor) {
  visitor.integer("training_steps", training_steps, between(1, kMostSteps),
                  "environment steps of training per call, a quarter of them where nothing turns out to be "
                  "random; in a problem file at least 4000 per state and action");
  visitor.integer(
      "replays", replays, between(1, 10'000),
      "how often, evenly over the training, all that was seen is replayed to find the policy that "
      "is best by it, which is then followed");
  visitor.number("exploration", exploration, part(),
                 "of the episodes, those that go where something was tried less than its share");
  visitor.number("coverage", coverage, part(),
                 "the share that every action of every state is to get, of what it would have if all had the "
                 "same");
  visitor.number("epsilon", epsilon, part(),
                 "the probability of a random action in all other episodes, which tries what is nearly best");
  visitor.number("step_cost", step_cost, part(),
                 "a cost per step while learning, of the largest cost a step had so far: of policies that "
                 "measure nearly the same, the one with shorter episodes is preferred");
  evaluation.visit(visitor);
}

QLearning::QLearning(std::shared_ptr<const TabularModel> model, const QLearningOptions& options)
    : model_(std::move(model)), world_(make_world(model_)), options_(options), sampler_(*model_) {
  check_options(options_);
  check_evaluation(options_.evaluation, world_);
}

OracleAnswer QLearning::answer(const OracleCall& call) const {
  const std::int64_t steps = call.budget(options_.training_steps);
  QTraining training(*model_, sampler_, options_, call.direction, call.rng.fork("training"));
  const StateVisit visit = [&](StateVisitor& state) { training.visit(state, world_); };
  call.restore(visit);
  training.run(steps, [&](double part) {
    call.report(part);
    call.checkpoint(visit);
  });
  OracleAnswer result;
  result.policy = training.replay([&] { call.report(1); });
  result.steps.training = training.env_steps();
  evaluate_policy(world_, options_.evaluation, call.rng.fork("evaluation"), result, [&] { call.report(1); });
  return result;
}

OracleKind q_learning_kind() {
  OracleKind kind;
  kind.name = "q-learning";
  kind.summary = "tabular Q-learning with replay, by acting in a model";
  kind.options = list_options<QLearningOptions>();
  kind.needs_model = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    QLearningOptions options;
    // Enough to try every choice many times over, whatever the model's size.
    options.training_steps = std::max<std::int64_t>(options.training_steps, 4000L * world.model->choices());
    return std::make_unique<QLearning>(world.model, read_options(section, options));
  };
  return kind;
}

}  // namespace c2rl
