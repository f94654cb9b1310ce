#include "c2rl/base/config.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"

namespace c2rl {
namespace {

constexpr auto kProblem = R"(name = "navigation"

[environment]
kind = "grid"
horizon = 500
slip = 0.25
fast = true
start = [1, 2.5]
measurements = ["steps", "risk"]
map = """
S.#
..G
"""

[environment.legend]
"#" = { risk = 1 }
)";

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Config problem() {
  return Config::parse(kProblem, "problem.toml");
}

TEST(Config, HandsOutTypedValues) {
  const Config config = problem();
  EXPECT_EQ(config.text("name"), "navigation");
  const Config environment = config.section("environment");
  EXPECT_EQ(environment.integer("horizon"), 500);
  EXPECT_EQ(environment.number("horizon"), 500.0);
  EXPECT_EQ(environment.number("slip"), 0.25);
  EXPECT_TRUE(environment.boolean("fast"));
  EXPECT_EQ(environment.vector("start"), (Vector{{1.0, 2.5}}));
  EXPECT_EQ(environment.text_list("measurements"), (std::vector<std::string>{"steps", "risk"}));
  EXPECT_EQ(environment.section("legend").section("#").number("risk"), 1.0);
  EXPECT_EQ(environment.keys().front(), "kind");
  EXPECT_EQ(environment.keys().back(), "legend");
  EXPECT_TRUE(environment.has("map"));
  EXPECT_FALSE(environment.has("goal"));
}

TEST(Config, WholeNumbersMayBeWrittenAsFloats) {
  const Config config = Config::parse("calls = 1e6\nhalf = 0.5\nyes = true", "p.toml");
  EXPECT_EQ(config.integer("calls"), 1000000);
  EXPECT_EQ(message_of([&] { config.integer("half"); }),
            "p.toml:2: half: found 0.5, expected a whole number");
  EXPECT_EQ(message_of([&] { config.integer("yes"); }), "p.toml:3: yes: found true, expected a whole number");
}

TEST(Config, MessagesNameFileLineFieldFoundAndExpected) {
  const Config environment = problem().section("environment");
  EXPECT_EQ(message_of([&] { environment.number("kind"); }),
            "problem.toml:4: environment.kind: found \"grid\", expected a number");
  EXPECT_EQ(message_of([&] { environment.boolean("horizon"); }),
            "problem.toml:5: environment.horizon: found 500, expected true or false");
  EXPECT_EQ(message_of([&] { environment.text("legend"); }),
            "problem.toml:15: environment.legend: found a table, expected a text in quotes");
  EXPECT_EQ(message_of([&] { environment.vector("measurements"); }),
            "problem.toml:9: environment.measurements: found [\"steps\", \"risk\"], expected a list of "
            "numbers: [1, 2.5]");
  EXPECT_EQ(
      message_of([&] { environment.text_list("start"); }),
      "problem.toml:8: environment.start: found [1, 2.5], expected a list of texts: [\"...\", \"...\"]");
  EXPECT_EQ(message_of([&] { environment.number("discount"); }),
            "problem.toml:3: environment.discount: missing; expected a number");
  EXPECT_EQ(message_of([&] { environment.section("slip"); }),
            "problem.toml:6: environment.slip: found 0.25, expected a section");
  EXPECT_EQ(message_of([&] { problem().section("solver").text("kind"); }),
            "problem.toml: solver.kind: missing; expected a text in quotes");
  EXPECT_EQ(message_of([&] { environment.expect(false, "slip", "a probability"); }),
            "problem.toml:6: environment.slip: found 0.25, expected a probability");
  EXPECT_EQ(message_of([&] { Config::parse("x = nan", "p.toml").number("x"); }),
            "p.toml:1: x: found nan, expected a number");
}

TEST(Config, ChoiceSuggestsTheNearestName) {
  const std::vector<std::string> kinds = {"garnet", "grids"};
  EXPECT_EQ(message_of([&] { problem().section("environment").choice("kind", kinds); }),
            "problem.toml:4: environment.kind: unknown kind 'grid'; did you mean 'grids'?");
  EXPECT_EQ(problem().section("solver").choice("kind", kinds, "garnet"), "garnet");
}

TEST(Config, UnknownKeysAreFoundInFileOrder) {
  const Config config =
      Config::parse("[environment]\nkind = \"grid\"\nhorizn = 5\nzzz = 1\n", "problem.toml");
  const Config environment = config.section("environment");
  environment.text("kind");
  environment.integer("horizon", 0);
  EXPECT_EQ(message_of([&] { config.reject_unknown_keys(); }),
            "problem.toml:3: environment.horizn: unknown key; did you mean 'horizon'?");
  const Config top = Config::parse("name = \"a\"\n[enviroment]\n", "problem.toml");
  top.text("name");
  EXPECT_EQ(message_of([&] { top.reject_unknown_keys(); }),
            "problem.toml:2: enviroment: unknown key; known: name");
  top.section("enviroment");
  top.reject_unknown_keys();
}

TEST(Config, SyntaxErrorsHaveLineAndColumn) {
  const std::string message = message_of([] { Config::parse("a = 1\nb = = 2\n", "problem.toml"); });
  EXPECT_TRUE(message.starts_with("problem.toml:2:5: ")) << message;
  EXPECT_EQ(message_of([] { Config::read("/nowhere/problem.toml"); }),
            "/nowhere/problem.toml: cannot be read: No such file or directory");
  EXPECT_EQ(message_of([] { Config::read("/"); }), "/: cannot be read: Is a directory");
}

TEST(Config, LinesOfATextKnowTheirPlace) {
  const auto rows = problem().section("environment").lines("map");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].text, "..G");
  EXPECT_EQ(to_string(rows[1].place), "problem.toml:12:1: environment.map: ");

  const auto same_line = Config::parse("map = \"\"\"ab\ncd\"\"\"", "p.toml").lines("map");
  EXPECT_EQ(to_string(same_line[0].place), "p.toml:1:10: map: ");
  EXPECT_EQ(to_string(same_line[1].place), "p.toml:2:1: map: ");

  const auto escaped = Config::parse("map = \"ab\\ncd\"", "p.toml").lines("map");
  EXPECT_EQ(escaped[1].text, "cd");
  EXPECT_EQ(to_string(escaped[1].place), "p.toml:1: map: ");
}

TEST(Config, OverridesReplaceAddAndFallBackToText) {
  Config config = problem();
  config.override_value("environment.horizon=30");
  config.override_value("oracle.kind = q-learning");
  config.override_value("environment.start=[3, 4]");
  config.override_value("environment.legend.\"#\".risk=2");
  config.override_value("target.constraints=[\"steps <= 3\"]");
  config.override_value("environment.fast=false");
  const Config environment = config.section("environment");
  EXPECT_EQ(environment.integer("horizon"), 30);
  EXPECT_EQ(config.section("oracle").text("kind"), "q-learning");
  EXPECT_EQ(environment.vector("start"), (Vector{{3.0, 4.0}}));
  EXPECT_EQ(environment.section("legend").section("#").number("risk"), 2.0);
  EXPECT_EQ(config.section("target").text_list("constraints"), std::vector<std::string>{"steps <= 3"});
  EXPECT_FALSE(environment.boolean("fast"));
  EXPECT_EQ(message_of([&] { environment.expect(false, "horizon", "more"); }),
            "--set environment.horizon=30: environment.horizon: found 30, expected more");
}

TEST(Config, MalformedOverridesAreRejected) {
  Config config = problem();
  for (const std::string bad :
       {"horizon", "=3", "environment.=3", "environment..x=3", "a b=3", "x=", "[a]\nb=1"}) {
    EXPECT_EQ(message_of([&] { config.override_value(bad); }),
              "--set " + bad + ": expected section.key=value");
  }
  EXPECT_EQ(message_of([&] { config.override_value("name.first=3"); }),
            "--set name.first=3: 'name' is not a section");
  config.override_value("x=1\ny=2");
  EXPECT_EQ(config.text("x"), "1\ny=2");
}

TEST(Config, ResolvedSaysEverythingInFileOrder) {
  Config config = problem();
  config.override_value("environment.slip=0.1");
  config.section("environment").number("discount", 0.99);
  config.section("solver").text("kind", "corrective-mnp");
  config.section("solver").vector("first", Vector{{1.0, 0.5}});
  EXPECT_EQ(config.resolved(), R"(name = "navigation"

[environment]
kind = "grid"
horizon = 500
slip = 0.1
fast = true
start = [1, 2.5]
measurements = ["steps", "risk"]
map = """
S.#
..G
"""
discount = 0.99

[environment.legend]

[environment.legend."#"]
risk = 1

[solver]
first = [1.0, 0.5]
kind = "corrective-mnp"
)");
  EXPECT_EQ(Config::parse(config.resolved(), "again.toml").resolved(), config.resolved());
}

TEST(Config, NumbersSurviveResolving) {
  for (const double value : {0.1, 1.0 / 3.0, 1e-300, 6.02214076e23, -0.0, kInfinity}) {
    const Config config = Config::parse("", "p.toml");
    config.number("x", value);
    EXPECT_EQ(Config::parse(config.resolved(), "again.toml").number("x"), value);
  }
  const Config texts = Config::parse("", "p.toml");
  const std::string odd = "\n\"quoted\"\\ \t'x'\n\x01";
  texts.text("x", odd);
  EXPECT_EQ(Config::parse(texts.resolved(), "again.toml").text("x"), odd);
}

TEST(Config, FilePathsAreRelativeToTheProblemFile) {
  const Config config = Config::parse("path = \"models/../a.drn\"", "/tmp/problems/p.toml");
  EXPECT_EQ(config.file_path("path"), "/tmp/problems/a.drn");
  EXPECT_EQ(config.resolved(), "path = \"/tmp/problems/a.drn\"\n");
  EXPECT_EQ(config.files(), (std::map<std::string, std::string>{{"path", "/tmp/problems/a.drn"}}));
}

TEST(Config, ValuesAreTheResolvedOnesAndDoNotDependOnHowTheyWereWritten) {
  const auto values = [](const std::string& text) {
    const Config config = Config::parse(text, "p.toml");
    const Config solver = config.section("solver");
    solver.integer("calls", 5);
    solver.text("kind", "cg");
    config.vector("at", Vector{{1, 2.5}});
    return config.values();
  };
  EXPECT_EQ(values(""), (std::map<std::string, std::string>{
                            {"at", "[1, 2.5]"}, {"solver.calls", "5"}, {"solver.kind", "\"cg\""}}));
  EXPECT_EQ(values("at = [1.0, 25e-1]\nsolver.calls = 5.0\nsolver.kind = 'cg'"), values(""));
  EXPECT_NE(values("solver.calls = 6"), values(""));
}

TEST(File, ReadsBackWhatWasWritten) {
  const std::string path = std::filesystem::temp_directory_path() / "c2rl_file_test";
  const std::string content = std::string("a\0b\r\n", 5) + std::string(3 << 20, 'x');
  write_file(path, content);
  EXPECT_EQ(read_file(path), content);
  std::filesystem::remove(path);
  EXPECT_THROW(write_file("/nowhere/file", ""), InputError);
}

}  // namespace
}  // namespace c2rl
