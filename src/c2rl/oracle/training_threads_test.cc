#include "c2rl/oracle/training_threads.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/dqn.h"
#include "c2rl/oracle/sac.h"

namespace c2rl {
namespace {

World world_of(const std::string& kind) {
  return make_world(Config::parse("[environment]\nkind = '" + kind + "'\n", "p.toml").section("environment"));
}

/// What `run` comes to where so many threads may be used.
template <typename Run>
auto on(int threads, const Run& run) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  return tbb::task_arena(threads).execute(run);
}

TEST(TrainingThreads, AreNoMoreThanThereAreCoresAndWorkFor) {
  const NetworkShape shared{.inputs = 4, .trunk = {64}, .heads = {{"one"}, {"two"}}};
  NetworkShape apart = shared;
  apart.trunk = {};
  const auto threads = [](int cores, int asked, const NetworkShape& network, int inputs) {
    return on(cores, [&] { return training_threads(asked, network, inputs); });
  };
  EXPECT_EQ(threads(8, 1, apart, 256), 1);
  EXPECT_EQ(threads(8, 4, apart, 256), 4);
  EXPECT_EQ(threads(2, 4, apart, 256), 2);
  EXPECT_EQ(threads(1, 0, apart, 256), 1);  // as in a cell of an experiment
  EXPECT_EQ(threads(8, 0, apart, 256), 8);
  EXPECT_EQ(threads(8, 0, apart, 8), 2);
  EXPECT_EQ(threads(8, 0, shared, 8), 1);
  EXPECT_EQ(threads(8, 0, shared, 64), 2);
}

/// What some updates leave of a training that `make(threads)` begins, where features are seen: on many threads all
/// passes are cut, by branches and by inputs.
template <typename Make>
void expect_same_bits(const Make& make) {
  const auto learnt = [&](int threads) {
    return on(threads, [&] {
      const auto training = make(threads);
      for (int i = 0; i < 3; ++i) training->update();
      auto saved = Safetensors();
      auto state = StateVisitor::saving(saved);
      training->visit(state);
      return to_bytes(saved);
    });
  };
  const std::string one = learnt(1);
  for (const int threads : {2, 4}) EXPECT_TRUE(learnt(threads) == one) << threads;
}

TEST(TrainingThreads, ActorAndCriticLearnTheSame) {
  const World cart_pole = world_of("cart-pole"), pendulum = world_of("pendulum");
  ActorCriticOptions a2c, ppo = ppo_options();
  a2c.hidden = ppo.hidden = {200, 136};
  ppo.epochs = 2;
  const auto expect_same = [](const World& world, ActorCriticOptions& options, const Vector& direction) {
    expect_same_bits([&](int threads) {
      options.threads = threads;
      return std::make_unique<ActorCritic>(world, options, direction, 1'000'000, Rng(1));
    });
  };
  expect_same(cart_pole, a2c, Vector{{-1, 0.5}});
  expect_same(cart_pole, ppo, Vector{{-1, 0.5}});
  expect_same(pendulum, ppo, Vector{{1, 0, 0.5}});
}

TEST(TrainingThreads, MemoriesTeachTheSame) {
  const World cart_pole = world_of("cart-pole"), pendulum = world_of("pendulum");
  for (const bool conditioned : {false, true}) {
    DqnOptions dqn;
    SacOptions sac;
    for (ReplayOptions* replay : {&dqn.replay, &sac.replay}) {
      replay->first_steps = 1;
      replay->batch = 150;
      replay->conditioned = conditioned;
    }
    dqn.hidden = sac.hidden = {200, 136};
    expect_same_bits([&](int threads) {
      dqn.replay.threads = threads;
      return std::make_unique<DqnTraining>(cart_pole, dqn,
                                           OracleCall{.direction = Vector{{-1, 0.5}}, .rng = Rng(1)});
    });
    expect_same_bits([&](int threads) {
      sac.replay.threads = threads;
      return std::make_unique<SacTraining>(pendulum, sac,
                                           OracleCall{.direction = Vector{{1, 0, 0.5}}, .rng = Rng(1)});
    });
  }
}

}  // namespace
}  // namespace c2rl
