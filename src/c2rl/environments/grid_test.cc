#include "c2rl/environments/grid.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/walk_testing.h"
#include "c2rl/mdp/total_range.h"

namespace c2rl {
namespace {

constexpr int kUp = 0, kDown = 1, kLeft = 2, kRight = 3;

TabularModel grid(const std::string& keys) {
  return *make_world(
              Config::parse("[environment]\nkind = \"grid\"\n" + keys, "p.toml").section("environment"))
              .model;
}

std::string error_of(const std::string& keys) {
  try {
    grid(keys);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Grid, NavigationIsTheTaskOfThePaper) {
  const TabularModel model = example_model("navigation");
  EXPECT_EQ(model.states, 54);
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"steps", "risk"}));
  EXPECT_EQ(model.start, Vector(Vector::Unit(54, 27)));
  EXPECT_EQ(model.horizon, 500);
  EXPECT_EQ(model.discount, 1.0);
  for (int s = 0; s < model.states; ++s) EXPECT_EQ(model.actions(s), s == 35 ? 0 : 4);
  // A step into a risky cell measures (1, 1), any other (1, 0).
  std::vector<bool> risky(54, false);
  for (int e = 0; e < model.transitions(); ++e) {
    EXPECT_EQ(model.probability[e], 1.0);
    EXPECT_EQ(model.measurement(0, e), 1.0);
    if (model.measurement(1, e) != 0) risky[model.next[e]] = true;
  }
  EXPECT_EQ(std::count(risky.begin(), risky.end(), true), 13);
}

TEST(Grid, NavigationHasTheKnownParetoPoints) {
  const TabularModel model = example_model("navigation");
  const auto path = [](int up) {
    std::vector<int> actions(up, kUp);
    actions.insert(actions.end(), 8, kRight);
    actions.insert(actions.end(), up, kDown);
    return actions;
  };
  EXPECT_EQ(walk(model, path(0)), (Walk{35, Vector{{8.0, 4.0}}}));
  EXPECT_EQ(walk(model, path(1)), (Walk{35, Vector{{10.0, 1.0}}}));
  EXPECT_EQ(walk(model, path(2)), (Walk{35, Vector{{12.0, 0.0}}}));
}

TEST(Grid, MovesOffTheGridAndIntoBlockedCellsStay) {
  const TabularModel model = grid(
      "horizon = 9\nmap = \"\"\"\nS.X\n..G\n\"\"\"\n[environment.legend]\nX = {blocked = true}\nS = {bump = "
      "1, start = true}\n");
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"steps", "bump"}));
  // Staying in place enters the own cell again.
  EXPECT_EQ(walk(model, {kUp, kLeft}), (Walk{0, Vector{{2.0, 2.0}}}));
  EXPECT_EQ(walk(model, {kRight, kRight, kUp}), (Walk{1, Vector{{3.0, 0.0}}}));
  EXPECT_EQ(walk(model, {kDown, kDown, kRight, kRight}), (Walk{5, Vector{{4.0, 0.0}}}));
  EXPECT_TRUE(model.is_terminal(5));
  EXPECT_EQ(model.actions(2), 0);
}

TEST(Grid, SlipReplacesTheActionByAUniformOne) {
  const TabularModel model = grid("slip = 0.4\nhorizon = 9\nmap = \"\"\"\n...\n.S.\n...\n\"\"\"\n");
  const int up = model.choice_begin[4] + kUp;
  EXPECT_EQ(std::vector<int>(model.next.begin() + model.transition_begin[up],
                             model.next.begin() + model.transition_begin[up + 1]),
            (std::vector<int>{1, 3, 5, 7}));
  const double* p = model.probability.data() + model.transition_begin[up];
  EXPECT_DOUBLE_EQ(p[0], 0.7);
  for (int i = 1; i < 4; ++i) EXPECT_DOUBLE_EQ(p[i], 0.1);
  // In a corner two moves stay: one transition, with both their probabilities.
  const int corner = model.choice_begin[0] + kUp;
  EXPECT_EQ(model.transition_begin[corner + 1] - model.transition_begin[corner], 3);
  EXPECT_DOUBLE_EQ(model.probability[model.transition_begin[corner]], 0.8);
}

TEST(Grid, SeveralStartsAreEquallyLikelyAndGoalsMayBeMany) {
  const TabularModel model = grid("horizon = 9\nmap = \"\"\"\nSGS\nSG.\n\"\"\"\n");
  EXPECT_EQ(model.start, (Vector{{1.0 / 3, 0, 1.0 / 3, 1.0 / 3, 0, 0}}));
  EXPECT_TRUE(model.is_terminal(1));
  EXPECT_TRUE(model.is_terminal(4));
}

TEST(Grid, MeasurementsSelectAndOrder) {
  const std::string map = "horizon = 9\nmap = \"\"\"\nS#G\n\"\"\"\n";
  const std::string legend = "[environment.legend]\n\"#\" = {risk = 2, noise = -0.5}\n";
  EXPECT_EQ(grid(map + legend).measurements, (std::vector<std::string>{"steps", "risk", "noise"}));
  const TabularModel ordered = grid("measurements = [\"noise\", \"risk\"]\n" + map + legend);
  EXPECT_EQ(walk(ordered, {kRight, kRight}), (Walk{2, Vector{{-0.5, 2.0}}}));
  const TabularModel stepped = grid(map + "[environment.step]\nfuel = 0.25\nrisk = 1\n" + legend);
  EXPECT_EQ(stepped.measurements, (std::vector<std::string>{"fuel", "risk", "noise"}));
  EXPECT_EQ(walk(stepped, {kRight, kRight}), (Walk{2, Vector{{0.5, 4.0, -0.5}}}));
}

TEST(Grid, ErrorsPointAtTheMap) {
  EXPECT_EQ(
      error_of("map = \"\"\"\nS..\n..x\n\"\"\"\n"),
      "p.toml:5:3: environment.map: found 'x', expected one of . G S; environment.legend can define others");
  EXPECT_EQ(
      error_of("map = \"\"\"\nS..\n. .\n\"\"\"\n"),
      "p.toml:5:2: environment.map: found white space or a character outside ASCII, expected one of . G S; "
      "environment.legend can define others");
  EXPECT_EQ(
      error_of("map = \"S\\n%\"\n"),
      "p.toml:3: environment.map: found '%', expected one of . G S; environment.legend can define others");
  EXPECT_EQ(error_of("map = \"\"\"\nS..\n..\n\"\"\"\n"),
            "p.toml:5:1: environment.map: found a row of 2 cells, expected 3 as in the first row");
  EXPECT_EQ(error_of("map = \"\"\"\nS..\n\n..G\"\"\"\n"),
            "p.toml:5:1: environment.map: found a row of 0 cells, expected 3 as in the first row");
  EXPECT_EQ(error_of("map = \"\"\"\n\"\"\"\n"), "p.toml:3: environment.map: the map is empty");
  EXPECT_EQ(error_of(""), "p.toml:1: environment.map: missing; expected a text in quotes");
  EXPECT_EQ(
      error_of("map = \"..G\"\n"),
      "p.toml:3: environment.map: no cell is a start; expected an 'S', or a legend entry with start = true");
}

TEST(Grid, ErrorsPointAtTheLegend) {
  const std::string map = "map = \"S.G\"\n";
  const auto legend = [&](const std::string& entry) {
    return error_of(map + "[environment.legend]\n" + entry);
  };
  EXPECT_EQ(legend("\"##\" = {risk = 1}\n"),
            "p.toml:5: environment.legend.##: expected one visible ASCII character as key");
  EXPECT_EQ(legend("\"#\" = 3\n"), "p.toml:5: environment.legend.#: found 3, expected a section");
  EXPECT_EQ(legend("\"#\" = {risk = \"high\"}\n"),
            "p.toml:5: environment.legend.#.risk: found \"high\", expected a number");
  EXPECT_EQ(legend("\"#\" = {risk = inf}\n"),
            "p.toml:5: environment.legend.#.risk: found inf, expected a finite number");
  EXPECT_EQ(legend("\"#\" = {blocked = true, risk = 1}\n"),
            "p.toml:5: environment.legend.#: a blocked cell is never entered: it cannot be a start, terminal "
            "or measured");
  EXPECT_EQ(legend("S = {blocked = true}\n"),
            "p.toml:5: environment.legend.S: a blocked cell is never entered: it cannot be a start, terminal "
            "or measured");
  EXPECT_EQ(legend("G = {start = true}\n"), "p.toml:5: environment.legend.G: a start cannot be terminal");
  EXPECT_EQ(
      error_of(map + "measurements = [\"steps\", \"risk\"]\n[environment.legend]\n\"#\" = {rsik = 1}\n"),
      "p.toml:4: environment.measurements: nothing in step or legend adds to 'risk'; did you mean 'rsik'?");
  EXPECT_EQ(error_of(map + "measurements = [\"steps\"]\n[environment.legend]\n\"#\" = {stesp = 1}\n"),
            "p.toml:6: environment.legend.#.stesp: unknown measurement 'stesp'; did you mean 'steps'?");
  EXPECT_EQ(error_of(map + "measurements = [\"steps\", \"steps\"]\n"),
            "p.toml:4: environment.measurements: 'steps' stands there twice");
  EXPECT_EQ(error_of(map + "measurements = []\n"),
            "p.toml:4: environment.measurements: found [], expected at least one name");
  EXPECT_EQ(error_of(map + "slip = 1.5\n"),
            "p.toml:4: environment.slip: found 1.5, expected a number from 0 to 1");
  EXPECT_EQ(error_of(map + "horizon = -1\n"),
            "p.toml:4: environment.horizon: found -1, expected a whole number from 0 to 2147483647");
  EXPECT_EQ(error_of(map + "discount = 0\n"),
            "p.toml:4: environment.discount: found 0, expected a number from above 0 to 1");
}

TEST(Grid, ReachedIsArrivingAtTheGoal) {
  const std::string traps =
      "horizon = 9\nmap = \"\"\"\nS.T\n..G\n\"\"\"\n[environment.legend]\nT = {terminal = true}\n";
  const TabularModel model = grid("measurements = [\"reached\", \"steps\"]\n" + traps);
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"reached", "steps"}));
  EXPECT_EQ(walk(model, {kRight, kDown, kRight}), (Walk{5, Vector{{1.0, 3.0}}}));
  EXPECT_EQ(walk(model, {kRight, kRight}), (Walk{2, Vector{{0.0, 2.0}}}));
  // Without a G, any end will do.
  const TabularModel end = grid(
      "measurements = [\"reached\"]\nhorizon = 9\nmap = \"S.T\"\n[environment.legend]\nT = {terminal = "
      "true}\n");
  EXPECT_EQ(walk(end, {kRight, kRight}), (Walk{2, Vector{{1.0}}}));
  // Whoever says what it is may say so.
  const TabularModel own = grid(
      "measurements = [\"reached\"]\nhorizon = 9\nmap = \"S.G\"\n[environment.legend]\n\".\" = {reached = "
      "2}\n");
  EXPECT_EQ(walk(own, {kRight, kRight}), (Walk{2, Vector{{2.0}}}));
  // It is not measured unasked.
  EXPECT_EQ(grid(traps).measurements, std::vector<std::string>{"steps"});
  EXPECT_EQ(
      error_of("measurements = [\"reached\"]\nhorizon = 9\nmap = \"S..\"\n"),
      "p.toml:3: environment.measurements: no cell of the map ends an episode, so that nothing is reached; "
      "expected a 'G', or a legend entry with terminal = true");
  EXPECT_EQ(error_of("measurements = [\"reachd\"]\nhorizon = 9\nmap = \"S.G\"\n"),
            "p.toml:3: environment.measurements: nothing in step or legend adds to 'reachd'; did you mean "
            "'reached'?");
}

TEST(Grid, ReachedIsAnEvent) {
  const auto section = Config::parse(
      "[environment]\nkind = \"grid\"\nmeasurements = [\"steps\", \"reached\"]\nslip = 0.1\nhorizon = 9\nmap "
      "= "
      "\"S.G\"\n",
      "p.toml");
  const World world = make_world(section.section("environment"));
  const TotalRange range = total_range(world, Vector{{0, -3}});
  EXPECT_EQ(range.lowest, -3);
  EXPECT_EQ(range.highest, 0);
  EXPECT_TRUE(range.event);
  EXPECT_FALSE(total_range(world, Vector{{1, 0}}).event);
}

TEST(Grid, BlockedCellsAreNoGoals) {
  const auto has_goal = [](const std::string& map) {
    const Config file = Config::parse("[environment]\nkind = \"grid\"\nhorizon = 9\nmap = \"" + map +
                                          "\"\nlegend = {X = {blocked = true}}\n",
                                      "p.toml");
    return make_world(file.section("environment")).has_goal;
  };
  EXPECT_TRUE(has_goal("SXG"));
  EXPECT_FALSE(has_goal("S.X"));
}

}  // namespace
}  // namespace c2rl
