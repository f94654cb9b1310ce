// Planning without a horizon against policy iteration in 34 digits by dense elimination, which shares nothing
// with it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/tabular_policy.h"
#include "c2rl/planning/optimum.h"

namespace c2rl {
namespace {

__extension__ typedef __float128 Quad;

/// Values of the actions by Gauss-Jordan elimination.
std::vector<Quad> quad_values(const TabularModel& model, const std::vector<Quad>& cost,
                              const std::vector<int>& choice) {
  const int n = model.states;
  std::vector<std::vector<Quad>> a(n, std::vector<Quad>(n + 1, 0));
  for (int s = 0; s < n; ++s) {
    a[s][s] = 1;
    if (model.is_terminal(s)) continue;
    a[s][n] = cost[choice[s]];
    for (int e = model.transition_begin[choice[s]]; e < model.transition_begin[choice[s] + 1]; ++e) {
      if (!model.is_terminal(model.next[e]))
        a[s][model.next[e]] -= static_cast<Quad>(model.discount) * model.probability[e];
    }
  }
  const auto size = [](Quad x) { return x < 0 ? -x : x; };
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r) pivot = size(a[r][c]) > size(a[pivot][c]) ? r : pivot;
    std::swap(a[c], a[pivot]);
    for (int r = 0; r < n; ++r) {
      if (r == c || a[r][c] == 0) continue;
      const Quad factor = a[r][c] / a[c][c];
      for (int j = c; j <= n; ++j) a[r][j] -= factor * a[c][j];
    }
  }
  std::vector<Quad> value(n);
  for (int s = 0; s < n; ++s) value[s] = a[s][n] / a[s][s];
  return value;
}

/// The least expected cost from the start. All states of the model must end, where it has no discount.
Quad quad_optimum(const TabularModel& model, const Vector& direction) {
  std::vector<Quad> cost(model.choices(), 0);
  for (int k = 0; k < model.choices(); ++k) {
    for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
      for (int i = 0; i < model.dim(); ++i)
        cost[k] += static_cast<Quad>(model.probability[e]) * direction[i] * model.measurement(i, e);
    }
  }
  std::vector<int> choice(model.choice_begin.begin(), model.choice_begin.end() - 1);
  for (;;) {
    const std::vector<Quad> value = quad_values(model, cost, choice);
    bool improved = false;
    for (int s = 0; s < model.states; ++s) {
      Quad least = value[s] - static_cast<Quad>(1e-25);
      for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
        Quad found = cost[k];
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
          found += static_cast<Quad>(model.discount) * model.probability[e] * value[model.next[e]];
        if (found >= least) continue;
        least = found;
        choice[s] = k;
        improved = true;
      }
    }
    if (improved) continue;
    Quad start = 0;
    for (int s = 0; s < model.states; ++s) start += static_cast<Quad>(model.start[s]) * value[s];
    return start;
  }
}

struct Family {
  std::string name;
  GarnetOptions options;
  bool whole_costs = false;  // many ties
  bool end_components = false;
  int outside = 0;  // states, the first of them, that the others never come to
};

void PrintTo(const Family& family, std::ostream* out) {
  *out << family.name;
}

/// A random model of the family. Its first half can be reached from the second but not the other way where it
/// has end components; some states cannot be reached at all where it has many.
TabularModel member(const Family& family, Rng rng) {
  TabularModel model = garnet_model(family.options, rng.fork("model"));
  if (family.whole_costs) {
    for (double& x : model.measurement.reshaped()) x = static_cast<double>(rng.below(3));
  }
  if (family.end_components) {
    const int half = model.states / 2;
    for (int s = 0; s < half; ++s) {
      for (int e = model.first_transition(s); e < model.first_transition(s + 1); ++e) model.next[e] %= half;
    }
  }
  if (family.outside > 0) keep_outside(model, family.outside);
  validate(model);
  return model;
}

class PolicyIteration : public testing::TestWithParam<Family> {};

/// In all the ways that the model allows.
std::vector<Optimum> plan(const TabularModel& model, const ScalarProblem& problem, const Vector& direction,
                          const Beginning& start = {}) {
  const StateOrder order(model);
  const double longest = longest_episode(model, order);
  std::vector<Optimum> found = {policy_iteration(model, order, problem, longest, start)};
  if (order.ends() || model.discount == 1) return found;
  const Matrix expected = expected_measurements(model);
  std::optional<PolicyEquations> equations;
  std::optional<Refinement> refinement;
  if (PolicyEquations::usable(model, order)) {
    equations.emplace(model, expected);
    refinement.emplace(*equations, equations->measured());
  }
  found.push_back(endless_policy_iteration(model, order, expected, problem, direction,
                                           refinement ? &*refinement : nullptr, start));
  return found;
}

// The bound is below the optimum of the model as it is stored, and the policy is as good as rounding and ties
// within the tolerance allow, under every tie rule.
TEST_P(PolicyIteration, BracketsTheOptimum) {
  std::vector<int> seeds = {132, 285};  // where hardly discounted, inexact values once led in a circle
  for (int seed = 0; seed < 25; ++seed) seeds.push_back(seed);
  for (const int seed : seeds) {
    SCOPED_TRACE(seed);
    const TabularModel model = member(GetParam(), Rng(seed));
    const StateOrder order(model);
    const double longest = longest_episode(model, order);
    const Vector direction = Rng(seed).fork("direction").normal_vector(2).normalized();
    const double optimum = static_cast<double>(quad_optimum(model, direction));
    for (const Ties ties : {Ties::shortest, Ties::longest, Ties::first, Ties::random}) {
      const ScalarProblem problem(model, direction, ties, Rng(seed));
      for (const Optimum& found : plan(model, problem, direction)) {
        const double value = direction.dot(found.evaluation.measurement);
        const double error = direction.lpNorm<1>() * found.evaluation.error;
        EXPECT_LE(found.lower_bound, optimum + kEpsilon * std::abs(optimum));
        EXPECT_GE(value + error, optimum - kEpsilon * std::abs(optimum));
        const double scale = longest * problem.cost_scale + std::abs(optimum);
        EXPECT_LE(value + error - found.lower_bound,
                  300 * kEpsilon * longest * scale + 2 * kTieTolerance * scale);
        const Evaluation evaluation = evaluate(model, *found.policy);
        EXPECT_LE((evaluation.measurement - found.evaluation.measurement).lpNorm<Eigen::Infinity>(),
                  evaluation.error + found.evaluation.error);
        EXPECT_NEAR(evaluation.steps, found.evaluation.steps, 1e-9 * evaluation.steps);
      }
    }
  }
}

// Whatever policy it starts from, the answer is optimal; from the same one, it is the same to the bit.
TEST_P(PolicyIteration, StartsFromAnyPolicy) {
  for (int seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const TabularModel model = member(GetParam(), Rng(seed));
    const StateOrder order(model);
    const double longest = longest_episode(model, order);
    const Vector direction = Rng(seed).fork("direction").normal_vector(2).normalized();
    const ScalarProblem problem(model, direction, Ties::first, Rng(seed));
    const Optimum cold = policy_iteration(model, order, problem, longest);
    std::vector<std::int32_t> start(model.states, 0);
    Rng rng = Rng(seed).fork("start");
    for (int s = 0; s < model.states; ++s) {
      if (!model.is_terminal(s)) start[s] = static_cast<std::int32_t>(rng.below(model.actions(s)));
    }
    // With values of another policy, and with some that are nobody's; and an answer for somewhere else, with its own.
    const Vector elsewhere = Rng(seed).fork("elsewhere").normal_vector(2).normalized();
    const auto answer = std::dynamic_pointer_cast<const TabularPolicy>(
        plan(model, ScalarProblem(model, elsewhere, Ties::first, Rng(seed)), elsewhere).back().policy);
    Eigen::MatrixXf anything = Eigen::MatrixXf::Zero(2, model.states);
    for (float& value : anything.reshaped()) value = static_cast<float>(100 * rng.uniform());
    Eigen::MatrixXf huge = anything.array().sign() * std::numeric_limits<float>::max();
    huge(0, 0) = -huge(0, 1);
    std::vector<Beginning> beginnings = {
        {start, {}}, {start, answer->values()}, {start, anything}, {start, huge}};
    if (answer->is_stationary()) {
      for (int s = 0; s < model.states; ++s) start[s] = model.is_terminal(s) ? 0 : answer->action(s, 0);
      beginnings.push_back({start, answer->values()});
    }
    const double scale = longest * problem.cost_scale;
    for (const Beginning& beginning : beginnings) {
      const std::vector<Optimum> warm = plan(model, problem, direction, beginning);
      const std::vector<Optimum> again = plan(model, problem, direction, beginning);
      for (std::size_t i = 0; i < warm.size(); ++i) {
        EXPECT_NEAR(direction.dot(warm[i].evaluation.measurement), direction.dot(cold.evaluation.measurement),
                    300 * kEpsilon * longest * scale + 2 * kTieTolerance * scale);
        EXPECT_LE(warm[i].lower_bound,
                  direction.dot(cold.evaluation.measurement) + direction.lpNorm<1>() * cold.evaluation.error);
        EXPECT_EQ(again[i].evaluation.measurement, warm[i].evaluation.measurement);
        EXPECT_EQ(again[i].lower_bound, warm[i].lower_bound);
        EXPECT_EQ(again[i].policy->arrays()[0].bytes, warm[i].policy->arrays()[0].bytes);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, PolicyIteration,
    testing::Values(
        Family{"Endless", {.states = 20, .end_probability = 0, .discount = 0.9}},
        Family{"Large", {.states = 150, .branching = 4, .end_probability = 0, .discount = 0.99}},
        Family{"HardlyDiscounted", {.states = 20, .end_probability = 0, .discount = 0.9999}},
        Family{"NoEnd",
               {.states = 20, .branching = 4, .end_probability = 0, .discount = 0.9, .terminal = false}},
        Family{"LargeNoEnd",
               {.states = 150, .branching = 4, .end_probability = 0, .discount = 0.99, .terminal = false}},
        Family{"HardlyDiscountedNoEnd",
               {.states = 40, .branching = 5, .end_probability = 0, .discount = 0.9999, .terminal = false}},
        Family{"FastMixing",
               {.states = 60,
                .branching = 5,
                .end_probability = 0,
                .discount = 0.99,
                .terminal = false,
                .even = true}},
        Family{"FastMixingHardlyDiscounted",
               {.states = 40,
                .branching = 6,
                .dim = 2,
                .end_probability = 0,
                .discount = 0.9999,
                .terminal = false,
                .even = true}},
        Family{"FastMixingTied",
               {.states = 45,
                .branching = 4,
                .end_probability = 0,
                .discount = 0.9,
                .terminal = false,
                .even = true},
               true},
        Family{"OneActionNoEnd",
               {.states = 30, .actions = 1, .end_probability = 0, .discount = 0.99, .terminal = false}},
        Family{"DeterministicNoEnd",
               {.states = 30, .branching = 1, .end_probability = 0, .discount = 0.95, .terminal = false}},
        Family{"TiedNoEnd",
               {.states = 30, .branching = 4, .end_probability = 0, .discount = 0.9, .terminal = false},
               true},
        Family{"EndComponentsNoEnd",
               {.states = 24, .end_probability = 0, .discount = 0.95, .terminal = false},
               false,
               true},
        Family{"AheadOfTheRest",
               {.states = 40,
                .branching = 5,
                .end_probability = 0,
                .discount = 0.99,
                .terminal = false,
                .even = true},
               false,
               false,
               5},
        Family{"AheadOfTheRestHardlyDiscounted",
               {.states = 40,
                .branching = 5,
                .end_probability = 0,
                .discount = 0.9999,
                .terminal = false,
                .even = true},
               false,
               false,
               9},
        Family{"AheadOfTheRestTied",
               {.states = 40,
                .branching = 5,
                .end_probability = 0,
                .discount = 0.9,
                .terminal = false,
                .even = true},
               true,
               false,
               3},
        Family{"Ending", {.states = 20, .end_probability = 0.05}},
        Family{"EndingLate", {.states = 20, .end_probability = 1e-4}},
        Family{"EndingAndDiscounted", {.states = 20, .end_probability = 0.2, .discount = 0.99}},
        Family{"Deterministic", {.states = 30, .branching = 1, .end_probability = 0, .discount = 0.95}},
        Family{"Unreachable", {.states = 30, .actions = 1, .branching = 1, .end_probability = 0.1}},
        Family{"OneAction", {.states = 15, .actions = 1, .end_probability = 0.1}},
        Family{"Tied", {.states = 20, .end_probability = 0.1}, true},
        Family{"TiedAndDeterministic",
               {.states = 20, .actions = 5, .branching = 1, .end_probability = 0, .discount = 0.9},
               true},
        Family{"EndComponents", {.states = 24, .end_probability = 0, .discount = 0.95}, false, true},
        Family{"TiedEndComponents", {.states = 24, .end_probability = 0, .discount = 0.9}, true, true}),
    [](const auto& tested) { return tested.param.name; });

// Both ways cost 3, two steps of 1 and one of 1 or two of 1.5; the second is shorter.
TEST(PolicyIterationTies, AreDecidedByTheRule) {
  TabularModel model;
  model.measurements = {"cost"};
  const auto to = [](int next, double cost) -> std::vector<Outcome> {
    return {{next, 0.5, Vector{{cost}}}, {0, 0.5, Vector{{cost}}}};
  };
  add_state(model, {to(1, 1), to(2, 1.5)});
  add_state(model, {{{2, 1.0, Vector{{1.0}}}}});
  add_state(model, {});
  model.start = Vector::Unit(3, 0);
  validate(model);
  const StateOrder order(model);
  const double longest = longest_episode(model, order);
  EXPECT_GE(longest, 3);
  EXPECT_LE(longest, 4.1);
  const auto steps = [&](Ties ties) {
    const ScalarProblem problem(model, Vector{{1.0}}, ties, Rng(0));
    const Optimum found = policy_iteration(model, order, problem, longest);
    EXPECT_EQ(found.evaluation.measurement[0], 3);
    return found.evaluation.steps;
  };
  EXPECT_EQ(steps(Ties::shortest), 2);
  EXPECT_EQ(steps(Ties::longest), 3);
  EXPECT_EQ(steps(Ties::first), 3);
}

}  // namespace
}  // namespace c2rl
