#include "c2rl/oracle/q_learning.h"

#include <algorithm>

#include "c2rl/base/error.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/oracle/q_training.h"
#include "c2rl/oracle/replayed_policy.h"

namespace c2rl {

void QLearningOptions::visit(OptionVisitor& visitor) {
  visitor.integer("training_steps", training_steps, between(1, kMostSteps),
                  "environment steps of training per call, a quarter of them where nothing turns out to be "
                  "random; in a model at least 4000 per state and action, elsewhere 50000");
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
    : QLearning(make_world(std::move(model)), options) {}

QLearning::QLearning(World world, const QLearningOptions& options)
    : world_(std::move(world)), options_(options) {
  check_options(options_);
  check_evaluation(options_.evaluation, world_);
  if (world_.states == 0 || world_.actions == 0)
    throw InputError({.field = "environment"},
                     "found features or real-numbered actions, expected numbered ones");
  if (world_.model) sampler_.emplace(*world_.model);
}

void QLearning::train(const OracleCall& call, QTraining& training, OracleAnswer& answer) const {
  const StateVisit visit = [&](StateVisitor& state) { training.visit(state, world_); };
  call.restore(visit);
  training.run(call.budget(options_.training_steps), [&](double part) {
    call.report(part);
    call.checkpoint(visit);
    if (training.episodes().enough())
      call.mark({.steps = training.env_steps(), .value = training.episodes().mean()});
  });
  answer.policy = training.replay([&] { call.report(1); });
  answer.steps.training = training.env_steps();
}

OracleAnswer QLearning::answer(const OracleCall& call) const {
  OracleAnswer result;
  const Rng rng = call.rng.fork("training");
  if (world_.model) {
    QTrainingInModel training(*world_.model, *sampler_, options_, call.direction, rng);
    train(call, training, result);
  } else {
    const auto last = std::find_if(call.memory.rbegin(), call.memory.rend(),
                                   [](const MemoryPtr& left) { return left != nullptr; });
    QTrainingInWorld training(world_, options_, call.direction, rng,
                              last == call.memory.rend() ? nullptr : last->get());
    train(call, training, result);
    result.memory = training.seen();
  }
  evaluate_policy(world_, options_.evaluation, call.rng.fork("evaluation"), result, [&] { call.report(1); });
  call.mark(
      {.steps = result.steps.training, .value = call.direction.dot(result.measurement), .checked = true});
  return result;
}

OracleKind q_learning_kind() {
  OracleKind kind;
  kind.name = "q-learning";
  kind.summary = "tabular Q-learning with replay, by acting where states are numbered";
  kind.options = list_options<QLearningOptions>();
  kind.needs_numbered_states = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    QLearningOptions options;
    // In a model enough to try every choice many times over, whatever its size. Elsewhere steps are dear, remembered, and
    // most of the numbers may stand for nothing.
    constexpr std::int64_t kInAWorld = 50'000;
    options.training_steps =
        world.model ? std::max<std::int64_t>(options.training_steps, 4000L * world.model->choices())
                    : kInAWorld;
    return std::make_unique<QLearning>(world, read_options(section, options));
  };
  return kind;
}

}  // namespace c2rl
