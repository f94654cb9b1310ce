#include "c2rl/mdp/evaluate.h"

#include <algorithm>
#include <cstddef>

#include "c2rl/mdp/evaluate_backward.h"
#include "c2rl/mdp/occupancy.h"
#include "c2rl/mdp/tabular_policy.h"

namespace c2rl {
namespace {

/// A step goes through every state that is occupied: a few milliseconds where there are very many.
constexpr int kStepsPerPulse = 8;

/// States that are worth looking at backwards, and what part of all are many.
constexpr int kMany = 1000, kFew = 8;

double largest_measurement(const TabularModel& model) {
  return model.measurement.size() == 0 ? 0.0 : model.measurement.cwiseAbs().maxCoeff();
}

int largest_branching(const TabularModel& model) {
  int most = 0;
  for (int k = 0; k < model.choices(); ++k) {
    most = std::max(most, model.transition_begin[k + 1] - model.transition_begin[k]);
  }
  return most;
}

Evaluation evaluate_forward(const TabularModel& model, const Policy& policy, const Pulse& listener) {
  Evaluation result{Vector::Zero(model.dim())};
  Walk walk(model);
  Vector measured(model.dim());
  double discount = 1;
  const auto* const tabular = dynamic_cast<const TabularPolicy*>(&policy);
  const bool has_actions = tabular && tabular->has_actions();
  while (walk.step() < model.horizon && !walk.states().empty()) {
    if (walk.step() % kStepsPerPulse == 0) pulse(listener);
    if (has_actions && std::ssize(walk.states()) > kMany && std::ssize(walk.states()) > model.states / kFew)
      return evaluate_backward(model, *tabular, listener);
    for (const int s : walk.states()) result.steps += discount * walk.probability(s);
    measured.setZero();
    walk.advance(policy, measured);
    result.measurement += discount * measured;
    discount *= model.discount;
  }
  // Every step multiplies what is left by a factor 1 + O(eps) per product and sum on the way; a unit of
  // occupancy measures at most the largest measurement.
  result.error =
      kEpsilon * walk.step() * (largest_branching(model) + 4) * result.steps * largest_measurement(model);
  return result;
}

Evaluation evaluate_stationary(const TabularModel& model, const Policy& policy, const Pulse& listener,
                               double longest) {
  const Occupancy occupancy = stationary_occupancy(model, policy, listener, longest);
  Evaluation result{Vector::Zero(model.dim())};
  result.steps = occupancy.visits.sum();
  std::vector<double> visits(model.states, 0.0);
  for (int i = 0; i < std::ssize(occupancy.states); ++i) visits[occupancy.states[i]] = occupancy.visits[i];
  const int dim = model.dim();
  double* const sums = result.measurement.data();
  visit_choices(model, policy, 0, occupancy.states, [&](int s, int choice, double p) {
    for (int e = model.transition_begin[choice]; e < model.transition_begin[choice + 1]; ++e) {
      const double weight = visits[s] * p * model.probability[e];
      const double* const measured = model.measurement.data() + std::ptrdiff_t{e} * dim;
      for (int i = 0; i < dim; ++i) sums[i] += weight * measured[i];
    }
  });
  result.error = largest_measurement(model) *
                 (occupancy.error + kEpsilon * (largest_branching(model) + 4) * result.steps);
  return result;
}

}  // namespace

Evaluation evaluate(const TabularModel& model, const Policy& policy, const Pulse& listener, double longest) {
  return model.horizon > 0 ? evaluate_forward(model, policy, listener)
                           : evaluate_stationary(model, policy, listener, longest);
}

Evaluation evaluate(const TabularModel& model, const MixedPolicy& policy, const Pulse& listener) {
  Evaluation result{Vector::Zero(model.dim())};
  for (int i = 0; i < policy.size(); ++i) {
    const Evaluation part = evaluate(model, policy.policy(i), listener);
    result.measurement += policy.weights()[i] * part.measurement;
    result.steps += policy.weights()[i] * part.steps;
    result.error += policy.weights()[i] * (part.error + kEpsilon * part.measurement.cwiseAbs().maxCoeff());
  }
  return result;
}

}  // namespace c2rl
