#include "c2rl/environments/environment_kinds.h"

#include <filesystem>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/environments/plane_kind_testing.h"
#include "c2rl/environments/walk_testing.h"
#include "c2rl/mdp/monte_carlo.h"

namespace c2rl {
namespace {

TabularModel environment(const std::string& keys) {
  return *make_world(Config::parse("[environment]\n" + keys, "p.toml").section("environment")).model;
}

std::string error_of(const std::string& keys) {
  try {
    environment(keys);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Expected measurement of taking an action once.
Vector expected(const TabularModel& model, int state, int action) {
  Vector sum = Vector::Zero(model.dim());
  const int choice = model.choice_begin[state] + action;
  for (int e = model.transition_begin[choice]; e < model.transition_begin[choice + 1]; ++e) {
    sum += model.probability[e] * model.measurement.col(e);
  }
  return sum;
}

void expect_proper(const TabularModel& model) {
  EXPECT_EQ(std::ssize(model.choice_begin), model.states + 1);
  EXPECT_EQ(model.measurement.rows(), model.dim());
  EXPECT_EQ(model.measurement.cols(), model.transitions());
  EXPECT_NEAR(model.start.sum(), 1.0, 1e-12);
  for (int k = 0; k < model.choices(); ++k) {
    const int begin = model.transition_begin[k], end = model.transition_begin[k + 1];
    EXPECT_NEAR(std::accumulate(model.probability.begin() + begin, model.probability.begin() + end, 0.0), 1.0,
                1e-12);
    for (int e = begin; e < end; ++e) {
      EXPECT_GT(model.probability[e], 0.0);
      EXPECT_TRUE(model.next[e] >= 0 && model.next[e] < model.states);
    }
  }
}

TEST(Environments, EveryExampleMakesAProperModel) {
  int examples = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(C2RL_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".toml") continue;
    SCOPED_TRACE(file.path());
    const Config section = Config::read(file.path()).section("environment");
    if (section.text("kind") == "shop") continue;  // of a program that adds it
    ++examples;
    const World world = make_world(section);
    EXPECT_FALSE(world.measurements.empty());
    if (!world.can_be_acted_in()) continue;
    EXPECT_TRUE(world.actions > 1 || world.controls > 0);
    EXPECT_NE(world.states > 0, world.features > 0);
    EXPECT_EQ(world.environment(3)->batch(), 3);
    if (world.model) expect_proper(*world.model);
  }
  EXPECT_GE(examples, 9);
}

TEST(Environments, EveryKindHasAnExample) {
  for (const EnvironmentKind* kind : environment_kinds().all()) {
    if (kind == &plane_kind()) continue;
    // Those of programs are examples of programs.
    bool found = kind->name == "python" &&
                 std::filesystem::exists(C2RL_SOURCE_DIR "/examples/python/three_constraints.py");
    for (const auto& file : std::filesystem::recursive_directory_iterator(C2RL_SOURCE_DIR "/examples")) {
      if (file.path().extension() != ".toml") continue;
      found = found || Config::read(file.path()).section("environment").text("kind") == kind->name;
    }
    EXPECT_TRUE(found) << kind->name;
    EXPECT_FALSE(kind->summary.empty());
  }
}

TEST(Environments, UnknownKindsSuggestTheNearest) {
  EXPECT_EQ(error_of("kind = \"gird\"\n"),
            "p.toml:2: environment.kind: unknown kind 'gird'; did you mean 'grid'?");
  // Kinds that a test added may follow.
  const std::string message = error_of("kind = \"chess\"\n");
  EXPECT_TRUE(message.starts_with(
      "p.toml:2: environment.kind: unknown kind 'chess'; known: grid, deep-sea-treasure, mars-rover, "
      "rock-paper-scissors, worst-case, garnet, file, cart-pole, pendulum, mountain-car, point-robot, "
      "external, python"))
      << message;
}

TEST(Environments, AProgramMayAddItsOwnKind) {
  EXPECT_EQ(plane_kind().options[0].key, "radius");
  const auto world = [](const std::string& keys) {
    return make_world(
        Config::parse("[environment]\nkind = \"plane\"\n" + keys, "p.toml").section("environment"));
  };
  EXPECT_EQ(world("").controls, 2);
  EXPECT_EQ(world("horizon = 9\n").horizon, 9);
  const Estimate narrow = estimate(world("radius = 1e-3\n"), NormalPolicy(Vector{{0, 0}}, 0, 0), 50, Rng(1));
  EXPECT_EQ(narrow.env_steps, 50);  // nobody begins that near to the middle
  EXPECT_EQ(error_of("kind = \"plane\"\nradius = 0\n"),
            "p.toml:3: environment.radius: found 0, expected a number above 0");
  EXPECT_EQ(error_of("kind = \"plane\"\nradios = 1\n"),
            "p.toml:3: environment.radios: unknown key; did you mean 'radius'?");
  EXPECT_THROW(environment_kinds().add(plane_kind()), InputError);
}

TEST(Environments, TraitsAreSaidInWords) {
  EXPECT_EQ(trait_words(environment_kinds().find("grid")),
            std::vector<std::string>{"a model: exact planning is possible"});
  EXPECT_EQ(trait_words(environment_kinds().find("cart-pole")),
            std::vector<std::string>{"can only be acted in"});
  EXPECT_EQ(trait_words(environment_kinds().find("external")),
            std::vector<std::string>{"only a program of its own can act in it"});
}

// Everyone can read of one; only the program that has it can act there.
TEST(Environments, OfPythonAreKnownByTheirShape) {
  const World world = make_world(Config::parse("[environment]\nkind = 'python'\nmeasurements = ['a', 'b']\n"
                                               "features = 3\nactions = 2\nhorizon = 9\ndiscount = 0.5\n"
                                               "[environment.range]\nb = [0, 1]\n",
                                               "p.toml")
                                     .section("environment"));
  EXPECT_EQ(world.dim(), 2);
  EXPECT_EQ(world.features, 3);
  EXPECT_EQ(world.actions, 2);
  EXPECT_EQ(world.episode_limit, 9);
  EXPECT_EQ(world.ranges[1].highest, 1);
  EXPECT_THROW(world.environment(1), InputError);
  EXPECT_EQ(error_of("kind = \"python\"\nmeasurements = [\"a\"]\nactions = 2\n"),
            "p.toml:1: environment.states: found nothing, expected states or features");
}

// What a kind finds wrong beyond ranges is put at the key it names, or else at the kind.
TEST(Environments, ErrorsWithoutAFileArePutWhereTheyBelong) {
  EXPECT_EQ(error_of("kind = \"garnet\"\nbranching = 30\n"),
            "p.toml:3: environment.branching: found 30, expected a whole number from 1 to 20");
  EXPECT_EQ(error_of("kind = \"grid\"\nmap = \"S.G\"\n"),
            "p.toml:1: environment.horizon: state 0 can be reached, and from there an episode can go "
            "on for ever; expected a horizon, or a discount below 1");
}

TEST(Environments, ResolvedProblemsMakeTheSameModel) {
  const Config problem = Config::read(C2RL_SOURCE_DIR "/examples/courier.toml");
  const TabularModel model = *make_world(problem.section("environment")).model;
  const Config again = Config::parse(problem.resolved(), "/somewhere/else.toml");
  EXPECT_EQ(make_world(again.section("environment")).model->measurement, model.measurement);
  EXPECT_EQ(again.section("environment").integer("horizon"), 0);
}

TEST(RockPaperScissors, AlwaysTheSameWinsAThird) {
  const TabularModel model = environment("kind = \"rock-paper-scissors\"\n");
  EXPECT_EQ(model.states, 2);
  EXPECT_TRUE(model.is_terminal(1));
  for (int action = 0; action < 3; ++action) {
    EXPECT_EQ(expected(model, 0, action), Vector(Vector::Unit(3, action) / 3));
  }
  const TabularModel longer = environment("kind = \"rock-paper-scissors\"\nrounds = 4\n");
  EXPECT_EQ(longer.states, 5);
  EXPECT_TRUE(longer.is_terminal(4));
  EXPECT_EQ(error_of("kind = \"rock-paper-scissors\"\nrounds = 0\n"),
            "p.toml:3: environment.rounds: found 0, expected a whole number from 1 to 100000");
}

TEST(WorstCase, ActionsAreTheUnitVectorsAndZero) {
  const TabularModel model = environment("kind = \"worst-case\"\ndimension = 5\n");
  EXPECT_EQ(model.dim(), 5);
  ASSERT_EQ(model.actions(0), 6);
  for (int action = 0; action < 5; ++action)
    EXPECT_EQ(walk(model, {action}), (Walk{1, Vector::Unit(5, action)}));
  EXPECT_EQ(walk(model, {5}), (Walk{1, Vector::Zero(5)}));
  // Half the idle action and 1/(2m) of each other is the target.
  Vector mixture = expected(model, 0, 5) / 2;
  for (int action = 0; action < 5; ++action) mixture += expected(model, 0, action) / 10;
  EXPECT_EQ(mixture, Vector(Vector::Constant(5, 0.1)));
}

class DeepSeaTreasure : public testing::TestWithParam<std::pair<std::string, std::vector<double>>> {};

TEST_P(DeepSeaTreasure, HasTheKnownFront) {
  const auto& [map, treasures] = GetParam();
  const TabularModel model = environment("kind = \"deep-sea-treasure\"\nmap = \"" + map + "\"\n");
  EXPECT_EQ(model.states, 110);
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"treasure", "steps"}));
  EXPECT_EQ(model.start, Vector(Vector::Unit(110, 0)));
  const std::vector<int> steps = {1, 3, 5, 7, 8, 9, 13, 14, 17, 19};
  for (int column = 0; column < 10; ++column) {
    std::vector<int> actions(column, 3);
    actions.resize(steps[column], 1);
    const Walk end = walk(model, actions);
    EXPECT_EQ(end.sum, (Vector{{treasures[column], static_cast<double>(steps[column])}}));
    EXPECT_TRUE(model.is_terminal(end.state));
  }
  // Nothing but the ten treasures is worth anything, and the sea floor cannot be entered.
  std::set<double> values;
  for (int e = 0; e < model.transitions(); ++e) values.insert(model.measurement(0, e));
  EXPECT_EQ(values.size(), 11u);
}

INSTANTIATE_TEST_SUITE_P(Maps, DeepSeaTreasure,
                         testing::Values(std::pair{"convex", std::vector{0.7, 8.2, 11.5, 14.0, 15.1, 16.1,
                                                                         19.6, 20.3, 22.4, 23.7}},
                                         std::pair{"concave", std::vector{1.0, 2.0, 3.0, 5.0, 8.0, 16.0, 24.0,
                                                                          50.0, 74.0, 124.0}}));

TEST(DeepSeaTreasure, TheSeaFloorBlocks) {
  const TabularModel model = environment("kind = \"deep-sea-treasure\"\n");
  // Left of column 6, row 5, lies the floor below the treasure of column 5.
  EXPECT_EQ(walk(model, {3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 2}).state, 56);
}

TEST(MarsRover, HasTheMapOfItsAuthors) {
  const TabularModel model = environment("kind = \"mars-rover\"\n");
  EXPECT_EQ(model.states, 64);
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"crash", "reward"}));
  EXPECT_EQ(model.horizon, 300);
  EXPECT_EQ(model.start, Vector(Vector::Unit(64, 0)));
  const std::set<int> craters = {19, 22, 41, 42, 49, 52, 54, 59};
  for (int s = 0; s < 64; ++s) EXPECT_EQ(model.is_terminal(s), s == 63 || craters.contains(s)) << s;
  for (int e = 0; e < model.transitions(); ++e) {
    EXPECT_EQ(model.measurement(0, e), craters.contains(model.next[e]) ? 1.0 : 0.0);
    EXPECT_EQ(model.measurement(1, e), -0.01);
  }
  // One command in twenty is replaced by one of the four.
  const int up = model.choice_begin[9];
  EXPECT_DOUBLE_EQ(model.probability[model.transition_begin[up]], 0.95 + 0.05 / 4);
  EXPECT_DOUBLE_EQ(model.probability[model.transition_begin[up] + 1], 0.05 / 4);
}

TEST(MarsRover, VisitsCountTheCellsEntered) {
  const TabularModel model = environment("kind = \"mars-rover\"\nvisits = true\nslip = 0\n");
  EXPECT_EQ(model.dim(), 66);
  EXPECT_EQ(model.measurements[2 + 8 + 3], "visit_1_3");
  const Walk end = walk(model, {3, 3, 2});
  EXPECT_EQ(end.sum.tail(64), Vector(2 * Vector::Unit(64, 1) + Vector::Unit(64, 2)));
}

TEST(MarsRover, ReachedIsTheGoalAndNotACrater) {
  const TabularModel model = environment("kind = \"mars-rover\"\nreached = true\n");
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"crash", "reward", "reached"}));
  for (int e = 0; e < model.transitions(); ++e)
    EXPECT_EQ(model.measurement(2, e), model.next[e] == 63 ? 1.0 : 0.0);
}

TEST(DeepSeaTreasure, ReachedIsAnyTreasure) {
  const TabularModel model = environment("kind = \"deep-sea-treasure\"\nreached = true\n");
  EXPECT_EQ(model.dim(), 3);
  for (int e = 0; e < model.transitions(); ++e)
    EXPECT_EQ(model.measurement(2, e), model.is_terminal(model.next[e]) ? 1.0 : 0.0);
}

TEST(Garnet, HasTheSizeAskedForAndRepeats) {
  const std::string keys = "kind = \"garnet\"\nstates = 30\nactions = 3\nbranching = 4\nmeasurements = 2\n";
  const TabularModel model = environment(keys);
  expect_proper(model);
  EXPECT_EQ(model.states, 30);
  EXPECT_EQ(model.choices(), 90);
  EXPECT_EQ(model.transitions(), 360);
  for (int k = 0; k < 90; ++k) {
    const int first = model.transition_begin[k];
    for (int e = first + 1; e < model.transition_begin[k + 1]; ++e) {
      EXPECT_LT(model.next[e - 1], model.next[e]);
      EXPECT_EQ(model.measurement.col(e), model.measurement.col(first));
    }
  }
  EXPECT_GE(model.measurement.minCoeff(), 0.0);
  EXPECT_LT(model.measurement.maxCoeff(), 1.0);
  EXPECT_EQ(environment(keys).measurement, model.measurement);
  EXPECT_NE(environment(keys + "seed = 1\n").measurement, model.measurement);
  EXPECT_EQ(environment("kind = \"garnet\"\nstates = 2\n").transitions(), 2 * 4 * 2);
}

TEST(Garnet, MustEnd) {
  EXPECT_EQ(error_of("kind = \"garnet\"\ndiscount = 1\n"),
            "p.toml:1: environment.horizon: the model never ends by itself; expected a horizon above 0, or a "
            "discount below 1");
  EXPECT_EQ(error_of("kind = \"garnet\"\nstates = 3\nbranching = 4\n"),
            "p.toml:4: environment.branching: found 4, expected a whole number from 1 to 3");
}

TEST(ModelFile, ReadsRelativeToTheProblem) {
  const TabularModel model = example_model("courier");
  EXPECT_EQ(model.measurements, (std::vector<std::string>{"time", "risk"}));
  EXPECT_EQ(model.states, 3);
  EXPECT_TRUE(model.is_terminal(2));
  EXPECT_EQ(walk(model, {0}), (Walk{2, Vector{{10.0, 0.2}}}));
  EXPECT_EQ(expected(model, 0, 1), (Vector{{18.0, 0.0}}));
  EXPECT_EQ(expected(model, 1, 0), (Vector{{3.0, 0.0}}));
  const std::string file = "kind = \"file\"\npath = \"" C2RL_SOURCE_DIR "/examples/courier.drn\"\n";
  EXPECT_TRUE(environment(file + "terminal_label = \"waiting\"\n").is_terminal(1));
  EXPECT_EQ(error_of("kind = \"file\"\npath = \"/nowhere/x.drn\"\n"),
            "/nowhere/x.drn: cannot be read: No such file or directory");
  EXPECT_EQ(error_of("kind = \"file\"\n"), "p.toml:1: environment.path: missing; expected a text in quotes");
}

}  // namespace
}  // namespace c2rl
