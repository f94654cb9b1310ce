#include "c2rl/base/allocation_testing.h"
#ifdef C2RL_COUNTS_ALLOCATIONS

#include <gtest/gtest.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/random_episodes_testing.h"

namespace c2rl {
namespace {

TEST(Allocation, ActingTakesNothing) {
  for (const std::string kind : {"garnet", "cart-pole", "pendulum", "mountain-car", "point-robot"}) {
    const World world =
        make_world(Config::parse("[environment]\nkind = \"" + kind + "\"\nhorizon = 20\n", "p.toml")
                       .section("environment"));
    const auto environment = world.environment(4);
    RandomActions actions(world, *environment);
    Rng rng(1);
    const long before = allocations;
    for (const int first_episode : {0, 4, 8}) {
      environment->reset(Rng(2), first_episode);
      for (int step = 0; step < 25; ++step) {
        for (int slot = 0; slot < 4; ++slot) {
          if (!environment->ended(slot)) actions.draw(slot, rng);
        }
        environment->step(actions.view());
      }
    }
    EXPECT_EQ(allocations - before, 0) << kind;
  }
}

}  // namespace
}  // namespace c2rl

#endif
