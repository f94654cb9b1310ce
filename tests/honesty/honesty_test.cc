// A small fixed part of what honesty_bench does at length.

#include <gtest/gtest.h>

#include "honest_problems.h"

namespace c2rl {
namespace {

const HonestWorld& world_named(const std::string& name) {
  for (const HonestWorld& world : honest_worlds()) {
    if (world.name == name) return world;
  }
  throw std::logic_error("no world " + name);
}

class Honesty : public testing::TestWithParam<const char*> {
 protected:
  Honesty() : world_(world_named(GetParam())), corner_(touching_corner(world_)) {}

  Outcome run(double room, std::uint64_t seed) const {
    Problem problem = honest_problem(world_, corner_, room, world_.oracles.front(), seed);
    problem.confirmation.max_episodes = room > 0 ? 4'000'000 : 100'000;
    return run_honestly(problem);
  }

  const HonestWorld& world_;
  Corner corner_;
};

TEST_P(Honesty, WithRoomWhatIsClaimedIsFoundAndTrue) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Outcome outcome = run(0.1, seed);
    ASSERT_EQ(outcome.result.status, Status::feasible) << seed;
    EXPECT_FALSE(outcome.result.claim.proven);
    EXPECT_EQ(outcome.result.claim.level, 0.95);
    EXPECT_GT(outcome.result.claim.episodes, 100);
    EXPECT_LE(outcome.distance, outcome.result.tolerance) << seed;
    for (const ShownLimit& limit : outcome.result.claim.limits) EXPECT_LE(limit.at_most, limit.allowed);
  }
}

TEST_P(Honesty, WithoutRoomNothingIsClaimed) {
  for (const double room : {0.0, -0.03}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Outcome outcome = run(room, seed);
      const Status status = outcome.result.status;
      EXPECT_TRUE(status == Status::stuck || status == Status::undecided) << room << " " << to_string(status);
      EXPECT_EQ(exit_status(status), 4);
      EXPECT_LE(outcome.result.certificate.bound, outcome.result.distance);
      EXPECT_GE(outcome.result.error, 0);
    }
  }
}

// Targets at the edge of what random models can do, for learners of little effort.
TEST(HonestyAtRandom, WhatIsClaimedIsTrue) {
  for (std::uint64_t seed = 100'000; seed < 100'012; ++seed) {
    const RandomProblem random = random_problem(seed);
    const Outcome outcome = run_honestly(random.problem);
    EXPECT_NE(outcome.result.status, Status::infeasible) << seed;
    if (holds(outcome.result.status)) {
      EXPECT_LE(outcome.distance, outcome.result.tolerance) << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, Honesty,
                         testing::Values("garnet, 10 states", "rock-paper-scissors", "ledge, rare falls"),
                         [](const auto& world) {
                           std::string name;
                           for (const char c : std::string(world.param)) {
                             if (std::isalnum(c)) name += c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace c2rl
