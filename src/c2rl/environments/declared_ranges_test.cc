#include "c2rl/environments/declared_ranges.h"

#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/total_range.h"

namespace c2rl {
namespace {

World world(const std::string& keys) {
  return make_world(Config::parse("[environment]\n" + keys, "p.toml").section("environment"));
}

std::string error_of(const std::string& keys) {
  try {
    world(keys);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kGrid = "kind = \"grid\"\nmap = \"S.G\"\nhorizon = 9\n[environment.range]\n";

TEST(DeclaredRanges, WhatTheModelComputesWins) {
  const World wide = world(kGrid + "steps = [0, 1000]\n");
  EXPECT_EQ(total_range(wide, Vector{{1}}).lowest, 2);
  EXPECT_EQ(total_range(wide, Vector{{1}}).highest, 9);
  EXPECT_EQ(error_of(kGrid + "steps = [2, 9]\n"), "no error");
  EXPECT_EQ(error_of(kGrid + "steps = [2, 8]\n"),
            "p.toml:6: environment.range.steps: found [2, 8], but what an episode of this model can measure "
            "is [2, 9]; "
            "expected that, a wider range or none");
  EXPECT_EQ(error_of("kind = \"rock-paper-scissors\"\nrange = {rock = [0.5, 1]}\n"),
            "p.toml:3: environment.range.rock: found [0.5, 1], but what an episode of this model can measure "
            "is [0, 1]; "
            "expected that, a wider range or none, or a horizon that cuts episodes");
}

TEST(DeclaredRanges, NarrowWhatAWorldWithoutModelSays) {
  const World cart = world("kind = \"cart-pole\"\nhorizon = 100\n[environment.range]\naway = [0, 50]\n");
  EXPECT_EQ(total_range(cart, Vector{{1, 0}}).lowest, 1);
  EXPECT_EQ(total_range(cart, Vector{{1, 0}}).highest, 100);
  EXPECT_EQ(total_range(cart, Vector{{0, 1}}).highest, 50);
  EXPECT_EQ(error_of("kind = \"cart-pole\"\n[environment.range]\nsteps = [300, inf]\n"),
            "p.toml:4: environment.range.steps: found [300, inf], but what an episode can measure is within "
            "[1, 200]");
}

TEST(DeclaredRanges, ErrorsNameTheKey) {
  EXPECT_EQ(error_of(kGrid + "stpes = [0, 1]\n"),
            "p.toml:6: environment.range.stpes: unknown measurement 'stpes'; did you mean 'steps'?");
  EXPECT_EQ(error_of(kGrid + "steps = [3, 1]\n"),
            "p.toml:6: environment.range.steps: found [3, 1], expected two numbers, [lowest, highest]");
  EXPECT_EQ(error_of(kGrid + "steps = [1]\n"),
            "p.toml:6: environment.range.steps: found [1], expected two numbers, [lowest, highest]");
}

TEST(DeclaredRanges, AreKeptInTheResolvedProblem) {
  const Config file =
      Config::parse("[environment]\nkind = \"cart-pole\"\nrange = {away = [0, 50]}\n", "p.toml");
  make_world(file.section("environment"));
  const Config again = Config::parse(file.resolved(), "q.toml");
  EXPECT_EQ(make_world(again.section("environment")).ranges[1].highest, 50);
}

}  // namespace
}  // namespace c2rl
