#include "c2rl/oracle/dynamic_programming.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "c2rl/planning/optimum.h"

namespace c2rl {

void DynamicProgrammingOptions::visit(OptionVisitor& visitor) {
  visitor.choice(
      "ties", ties, ties_names(),
      "which of several optimal policies is the answer, which decides how many calls a solver needs: on the "
      "navigation task the never-ending policy, as good as others along (0, 1), costs it a hundred");
}

namespace {

/// What a call plans with.
struct Workplace {
  PolicyEquations equations;
  Refinement measured;

  Workplace(const TabularModel& model, const Matrix& expected)
      : equations(model, expected), measured(equations, equations.measured()) {}
};

/// Those of earlier calls, for calls to come: what takes long to lay out is not laid out again.
struct Workplaces {
  bool usable = false;
  std::mutex mutex;
  std::vector<std::unique_ptr<Workplace>> idle;

  std::unique_ptr<Workplace> take(const TabularModel& model, const Matrix& expected) {
    if (!usable) return nullptr;
    const std::lock_guard lock(mutex);
    if (idle.empty()) return std::make_unique<Workplace>(model, expected);
    std::unique_ptr<Workplace> one = std::move(idle.back());
    idle.pop_back();
    return one;
  }
  void give_back(std::unique_ptr<Workplace> one) {
    const std::lock_guard lock(mutex);
    if (one) idle.push_back(std::move(one));
  }
};

}  // namespace

struct DynamicProgramming::Structure {
  std::optional<ShortestPaths> paths;  // where the model allows
  std::optional<BlockGraph> graph;     // where the model has a horizon
  std::optional<StateOrder> order;     // where it has none
  double longest = 0;                  // episode, then
  Matrix expected;                     // what choices measure, then
  mutable Workplaces workplaces;       // where there is no end, either

  Structure(const TabularModel& model, const Pulse& listener) {
    if (ShortestPaths::usable(model)) paths.emplace(model);
    if (model.horizon > 0) {
      graph.emplace(model);
    } else {
      order.emplace(model, listener);
      longest = longest_episode(model, *order, listener);
      expected = expected_measurements(model);
      workplaces.usable = PolicyEquations::usable(model, *order);
    }
  }

  bool is_endless(const TabularModel& model) const { return order && !order->ends() && model.discount < 1; }
};

namespace {

/// Of a policy that planning can begin with; nothing where it is not of this kind.
Beginning beginning_with(const TabularModel& model, const Policy* start) {
  const auto* const policy = dynamic_cast<const TabularPolicy*>(start);
  if (!policy || !policy->is_stationary() || !policy->has_actions() || policy->states() != model.states)
    return {};
  Beginning found;
  found.actions.reserve(model.states);
  for (int s = 0; s < model.states; ++s) {
    found.actions.push_back(policy->action(s, 0));
    if (!model.is_terminal(s) && found.actions.back() >= model.actions(s)) return {};
  }
  if (policy->values().rows() == model.dim()) found.values = policy->values();
  return found;
}

}  // namespace

DynamicProgramming::DynamicProgramming(std::shared_ptr<const TabularModel> model,
                                       const DynamicProgrammingOptions& options, const Pulse& listener)
    : model_(std::move(model)),
      options_(options),
      structure_(std::make_shared<const Structure>(*model_, listener)) {
  check_options(options_);
}

OracleAnswer DynamicProgramming::answer(const OracleCall& call) const {
  const Vector& direction = call.direction;
  const Progress progress = [&](double part) { call.report(part); };
  progress(0);
  auto& [paths, graph, order, longest, expected, workplaces] = *structure_;
  const ScalarProblem problem(*model_, direction, options_.ties, call.rng, expected);
  std::optional<Optimum> found;
  if (paths) found = shortest_path(*model_, *paths, problem);
  if (!found && model_->horizon > 0) {
    found = backward_induction(*model_, *graph, problem, direction, progress);
  } else if (!found) {
    const Beginning start = beginning_with(*model_, call.start.get());
    if (structure_->is_endless(*model_)) {
      std::unique_ptr<Workplace> place = workplaces.take(*model_, expected);
      found = endless_policy_iteration(*model_, *order, expected, problem, direction,
                                       place ? &place->measured : nullptr, start, progress);
      workplaces.give_back(std::move(place));
    } else {
      found = policy_iteration(*model_, *order, problem, longest, start, progress);
    }
  }
  progress(1);
  const Optimum& optimum = *found;
  const Vector& measurement = optimum.evaluation.measurement;
  const double value_error = direction.lpNorm<1>() * optimum.evaluation.error;
  OracleAnswer result;
  result.slack = std::max(0.0, direction.dot(measurement) + value_error - optimum.lower_bound);
  result.policy = optimum.policy;
  result.measurement = measurement;
  result.standard_error = Vector::Zero(dim());
  result.exact = true;
  return result;
}

OracleKind dynamic_programming_kind() {
  OracleKind kind;
  kind.name = "dynamic-programming";
  kind.summary = "exact planning, from the model";
  kind.options = list_options<DynamicProgrammingOptions>();
  kind.exact = true;
  kind.needs_model = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    return std::make_unique<DynamicProgramming>(world.model,
                                                read_options<DynamicProgrammingOptions>(section));
  };
  return kind;
}

}  // namespace c2rl
