#include "c2rl/oracle/ddqn_training.h"

#include <algorithm>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

double discount(const Dataset& dataset, const DdqnOptions& options) {
  if (options.training_discount > 0) return options.training_discount;
  return dataset.discount < 1 || dataset.horizon == 0 ? dataset.discount : 1 - 1.0 / dataset.horizon;
}

DeepQSettings settings(const Dataset& dataset, const DdqnOptions& options) {
  return {.hidden = options.hidden,
          .activation = options.activation,
          .batch = options.batch,
          .sampling = options.sampling,
          .target_period = options.target_period,
          .momentum = options.momentum,
          .huber_limit = options.huber_limit,
          .discount = discount(dataset, options),
          .threads = options.threads};
}

Transitions rewarded(const Dataset& dataset, const DdqnOptions& options, const Vector& direction) {
  const Vector rewards = -(dataset.measurement.transpose() * direction);
  const double largest = rewards.cwiseAbs().maxCoeff();
  const double scale = largest > 0 ? 1 / largest : 1;
  Transitions transitions(dataset, 1, dataset.size());
  for (int i = 0; i < dataset.size(); ++i) {
    transitions.add();
    transitions.outcome(0, i) = static_cast<float>(scale * rewards[i] - options.step_cost);
  }
  transitions.state = dataset.state;
  transitions.next_state = dataset.next_state;
  transitions.features = dataset.observation;
  transitions.next_features = dataset.next_observation;
  transitions.action = dataset.action;
  transitions.terminated = dataset.terminated;
  return transitions;
}

}  // namespace

DdqnTraining::DdqnTraining(const Dataset& dataset, const RecordedActions& recorded,
                           const DdqnOptions& options, const Vector& direction, std::int64_t updates,
                           const Rng& rng, const NetworkPolicy* start)
    : options_(options),
      updates_(updates),
      recorded_(recorded),
      transitions_(rewarded(dataset, options, direction)),
      learner_(dataset, transitions_, recorded, settings(dataset, options), rng) {
  if (!start) return;
  if (start->network().shape() != learner_.network().shape())
    throw InputError({.field = "start"}, "the policy to start from has another network");
  learner_.network().parameters() = start->network().parameters();
}

void DdqnTraining::update() {
  learner_.update(options_.learning_rate +
                  part_done() * (options_.learning_rate_last - options_.learning_rate));
}

std::shared_ptr<const NetworkPolicy> DdqnTraining::policy() const {
  const Network& network = learner_.network();
  auto copy = std::make_shared<Network>(network.shape(), 1);
  copy->parameters() = network.parameters();
  return std::make_shared<NetworkPolicy>(std::move(copy), "advantage", Execution::greedy, recorded_.counts());
}

}  // namespace c2rl
