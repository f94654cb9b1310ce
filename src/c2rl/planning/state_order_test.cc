// The order of states against a search in depth.

#include "c2rl/planning/state_order.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/planning/policy_equations.h"

namespace c2rl {
namespace {

/// Components in the order of what leads to what, and all that a search in depth finds.
void expect_ordered(const TabularModel& model, const StateOrder& order) {
  const std::vector<bool> reached = reachable_states(model);
  std::vector<int> component(model.states, -1);
  for (int c = 0; c < order.components(); ++c) {
    for (const int s : order.component(c)) {
      EXPECT_EQ(component[s], -1);
      component[s] = c;
    }
  }
  std::vector<std::int32_t> begin, starts;
  for (int s = 0; s <= model.states; ++s) begin.push_back(model.first_transition(s));
  bool ends = false;
  for (int s = 0; s < model.states; ++s) {
    if (model.start[s] > 0) starts.push_back(s);
    ends |= reached[s] && model.is_terminal(s);
    EXPECT_EQ(component[s] >= 0, reached[s] && !model.is_terminal(s));
    if (component[s] < 0) continue;
    for (int e = model.first_transition(s); e < model.first_transition(s + 1); ++e) {
      if (model.probability[e] > 0) {
        EXPECT_LE(component[model.next[e]], component[s]);
      }
    }
  }
  EXPECT_EQ(order.ends(), ends);
  const Components parts = components(begin, model.next, starts);
  int without_ends = 0;
  for (int c = 0; c < parts.size(); ++c) without_ends += !model.is_terminal(parts.of(c).front());
  EXPECT_EQ(order.components(), without_ends);
}

TEST(StateOrder, ComponentsComeAfterWhatTheyLeadTo) {
  for (int seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const int branching = 1 + static_cast<int>(rng.below(3));
    TabularModel ending = garnet_model(
        {.states = 40, .actions = 2, .branching = branching, .end_probability = 0.1}, rng.fork("ending"));
    expect_ordered(ending, StateOrder(ending));
    TabularModel endless = garnet_model({.states = 40,
                                         .actions = 2,
                                         .branching = branching,
                                         .end_probability = 0,
                                         .discount = 0.9,
                                         .terminal = false},
                                        rng.fork("endless"));
    expect_ordered(endless, StateOrder(endless));
    keep_outside(endless, 1 + static_cast<int>(rng.below(30)));
    expect_ordered(endless, StateOrder(endless));
  }
}

// In which what is swept together is not all that there is.
TEST(StateOrder, HasOneLargeComponentAndWhatIsAheadOfIt) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    TabularModel model = garnet_model({.states = 100,
                                       .branching = 5,
                                       .end_probability = 0,
                                       .discount = 0.9,
                                       .terminal = false,
                                       .even = true},
                                      Rng(seed));
    keep_outside(model, 4);
    const StateOrder order(model);
    EXPECT_EQ(order.size(), 99);
    ASSERT_EQ(order.components(), 4);
    EXPECT_EQ(order.component(0).size(), 96);
    EXPECT_TRUE(PolicyEquations::usable(model, order));
    // One of which no episode knows, and that ends them.
    model.choice_begin.push_back(model.choice_begin.back());
    model.start = Vector::Unit(101, 1);
    model.states = 101;
    validate(model);
    EXPECT_FALSE(PolicyEquations::usable(model, StateOrder(model)));
  }
}

// A corridor with its end on the right: nearest first, and everybody goes there.
TEST(StateOrder, GoesFromTheWayOutInwards) {
  constexpr int kLength = 6;
  TabularModel model;
  model.measurements = {"steps"};
  const Vector one = Vector::Ones(1);
  for (int s = 0; s < kLength; ++s) {
    const int left = std::max(0, s - 1), right = s + 1;
    add_state(model, {{{left, 0.9, one}, {right, 0.1, one}}, {{left, 0.1, one}, {right, 0.9, one}}});
  }
  add_state(model, {});
  model.start = Vector::Unit(kLength + 1, 2);
  validate(model);
  const StateOrder order(model);
  ASSERT_EQ(order.components(), 1);
  EXPECT_TRUE(order.has_exit(0));
  for (int i = 0; i < kLength; ++i) {
    EXPECT_EQ(order.states()[i], kLength - 1 - i);
    EXPECT_EQ(order.outwards()[i], 1);
  }
}

}  // namespace
}  // namespace c2rl
