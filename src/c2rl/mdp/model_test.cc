#include "c2rl/mdp/model.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/models_testing.h"

namespace c2rl {
namespace {

std::string complaint(const TabularModel& model) {
  try {
    validate(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string complaint_after(const std::function<void(TabularModel&)>& damage) {
  TabularModel model = navigation_model();
  damage(model);
  return complaint(model);
}

TEST(Validate, AcceptsGoodModels) {
  EXPECT_EQ(complaint(navigation_model()), "");
  for (int seed = 0; seed < 20; ++seed) EXPECT_EQ(complaint(garnet_model({}, Rng(seed))), "");
}

TEST(Validate, NamesStateActionAndSum) {
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.probability[4 * 5 + 2] = 0.5; }),
            "model.probability: state 5, action 2: the probabilities sum to 0.5; expected 1");
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.probability[1] = -1; }),
            "model.probability: state 0, action 1: probability -1 of next state 1 is not a number in [0, 1]");
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.next[4] = 54; }),
            "model.next: state 1, action 0: next state 54 is not one of 0 ... 53");
  EXPECT_EQ(
      complaint_after([](TabularModel& m) { m.measurement(1, 2) = std::nan(""); }),
      "model.measurement: state 0, action 2: 'risk' is nan on the way to state 9; expected a finite number");
}

TEST(Validate, ChecksTheStart) {
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.start.setZero(); }),
            "model.start: no state has a positive start probability");
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.start[3] = 0.5; }),
            "model.start: the start probabilities sum to 1.5; expected 1");
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.start[3] = -0.5; }),
            "model.start: state 3: probability -0.5 is not a number in [0, 1]");
}

TEST(Validate, ChecksArraySizes) {
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.next.pop_back(); }),
            "model.next: has 211 entries; expected 212 (one per transition)");
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.choice_begin.pop_back(); }),
            "model.choice_begin: has 54 entries; expected 55 (one per state, and one)");
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.transition_begin[7] = 3; }),
            "model.transition_begin: decreases from 6 to 3 at entry 7");
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.measurements.emplace_back("third"); }),
            "model.measurement: has 2 rows; expected 3, one per measurement");
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.start.conservativeResize(3); }),
            "model.start: has 3 entries; expected 54 (one per state)");
  EXPECT_EQ(complaint(TabularModel{}), "model.states: is 0; expected at least 1");
}

TEST(Validate, ChecksDiscountAndHorizon) {
  for (const double discount : {0.0, -0.5, 1.5, std::nan("")}) {
    EXPECT_NE(
        complaint_after([&](TabularModel& m) { m.discount = discount; }).find("expected a number in (0, 1]"),
        std::string::npos);
  }
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.horizon = -1; }),
            "model.horizon: is -1; expected at least 1, or 0 for none");
}

TEST(Validate, RefusesEndlessUndiscountedModels) {
  // Bumping into the wall for ever, although every state can also reach the goal.
  EXPECT_EQ(complaint_after([](TabularModel& m) { m.horizon = 0; }),
            "model.horizon: state 0 can be reached, and from there an episode can go on for ever; expected a "
            "horizon, or a discount below 1");
  EXPECT_EQ(complaint_after([](TabularModel& m) {
              m.horizon = 0;
              m.discount = 0.99;
            }),
            "");
}

TEST(Validate, EndlessStatesMustBeReachableWithPositiveProbability) {
  const Vector one = Vector::Ones(1);
  TabularModel model;
  model.measurements = {"steps"};
  add_state(model, {{{2, 0.5, one}, {0, 0.5, one}}, {{2, 1.0, one}, {1, 0.0, one}}});
  add_state(model, {{{1, 1.0, one}}});  // a trap that nothing leads to
  add_state(model, {});
  model.start = Vector::Unit(3, 0);
  EXPECT_EQ(complaint(model), "");
  model.start = Vector{{0.5, 0.5, 0.0}};
  EXPECT_EQ(endless_state(model), 1);
}

}  // namespace
}  // namespace c2rl
