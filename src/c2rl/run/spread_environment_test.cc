#include "c2rl/run/spread_environment.h"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "c2rl/base/thread_ranks_testing.h"
#include "c2rl/mdp/controls_testing.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/run/helpers.h"
#include "c2rl/run/run_testing.h"

namespace c2rl {
namespace {

Config problem_in(const std::string& environment, const std::string& measurement) {
  return Config::parse("[environment]\n" + environment + "[target]\nconstraints = ['" + measurement +
                           " <= 1000']\n[oracle]\nkind = 'ppo'\n",
                       "problem.toml");
}

/// Takes random actions, the same in both, begins anew where an episode has ended, and expects the same to be seen.
void expect_alike(const World& world, Environment& one, Environment& other, int steps) {
  Rng rng(5);
  std::vector<int> chosen(one.batch(), 0), slots;
  std::vector<Rng> streams;
  Eigen::MatrixXf controls = Eigen::MatrixXf::Zero(world.controls, one.batch());
  std::uint64_t episodes = 0;
  for (int step = 0; step < steps; ++step) {
    slots.clear();
    streams.clear();
    for (int slot = 0; slot < one.batch(); ++slot) {
      // Now and then one that goes on, too.
      if (!one.ended(slot) && rng.below(50) > 0) continue;
      slots.push_back(slot);
      streams.push_back(Rng(9).fork("episode", episodes++));
    }
    if (slots.size() == 1) {
      one.reset(slots[0], streams[0]);
      other.reset(slots[0], streams[0]);
    } else if (!slots.empty()) {
      one.reset(slots, streams);
      other.reset(slots, streams);
    }
    for (int slot = 0; slot < one.batch(); ++slot) {
      if (world.controls == 0)
        chosen[slot] = static_cast<int>(rng.below(one.action_count(one.states()[slot])));
      for (float& number : controls.col(slot)) number = static_cast<float>(2 * rng.uniform() - 1);
    }
    one.step(world.controls > 0 ? Actions(controls) : Actions(chosen));
    other.step(world.controls > 0 ? Actions(controls) : Actions(chosen));
    ASSERT_EQ(one.features(), other.features()) << step;
    ASSERT_EQ(one.measurement(), other.measurement()) << step;
    for (int slot = 0; slot < one.batch(); ++slot) {
      ASSERT_EQ(one.states()[slot], other.states()[slot]) << step;
      ASSERT_EQ(one.steps()[slot], other.steps()[slot]) << step;
      ASSERT_EQ(one.terminated(slot), other.terminated(slot)) << step;
      ASSERT_EQ(one.truncated(slot), other.truncated(slot)) << step;
    }
  }
}

TEST(SpreadEnvironment, EpisodesGoTheSameWayWhoeverStepsThem) {
  const std::vector<std::pair<std::string, std::string>> worlds = {
      {"kind = 'garnet'\nstates = 30\nhorizon = 20\n", "m1"},
      {"kind = 'garnet'\nstates = 30\ndiscount = 0.9\n", "m1"},  // no episode ends
      {"kind = 'cart-pole'\n", "steps"},
      {"kind = 'pendulum'\n", "energy"},
  };
  for (const auto& [environment, measurement] : worlds) {
    for (const int size : {2, 3}) {
      ThreadRanks(size).run([&, section = environment, name = measurement](Ranks& ranks) {
        const Problem problem = read_problem(problem_in(section, name), {.ranks = ranks});
        if (!ranks.is_first()) return help(problem, ranks);
        const Helpers helpers(ranks);
        // Fewer slots than ranks, as many, and more.
        for (const int batch : {1, 2, 7}) {
          const auto one = problem.world.to_train_in(batch), other = problem.world.environment(batch);
          expect_alike(problem.world, *one, *other, 500);
        }
        // Of two at the same time one is spread.
        const auto one = problem.world.to_train_in(5), other = problem.world.to_train_in(5);
        expect_alike(problem.world, *one, *other, 50);
      });
    }
  }
}

/// A plane in which the first rank's thread and all others count their steps, and one of the others may fail.
class CountingPlane final : public Environment {
 public:
  CountingPlane(int batch, std::thread::id first, std::atomic<int>& elsewhere, int fails_after)
      : Environment(batch, 2, 6, 2, 2),
        plane_(plane_world().environment(batch)),
        first_(first),
        elsewhere_(elsewhere),
        fails_after_(fails_after) {}

  int state_count() const override { return 0; }
  int action_count(int) const override { return 0; }

 private:
  void begin(int slot) override {
    plane_->reset(slot, streams_[slot]);
    features_.col(slot) = plane_->features().col(slot);
  }
  void advance(const Actions& actions) override {
    if (std::this_thread::get_id() != first_ && ++elsewhere_ == fails_after_)
      throw std::runtime_error("the simulator has crashed");
    plane_->step(actions);
    features_ = plane_->features();
    measurement_ = plane_->measurement();
    for (int slot = 0; slot < batch(); ++slot) terminated_[slot] = plane_->terminated(slot);
  }

  std::unique_ptr<Environment> plane_;
  std::thread::id first_;
  std::atomic<int>& elsewhere_;
  int fails_after_;
};

/// `work` on the first rank, in such a plane; how many steps of batches others have taken.
int in_counting_plane(int fails_after, const std::function<void(const World&)>& work) {
  std::atomic<int> elsewhere = 0;
  std::atomic<std::thread::id> first;
  ThreadRanks(2).run([&](Ranks& ranks) {
    if (ranks.is_first()) first = std::this_thread::get_id();
    World world = plane_world();
    world.environment = [&](int batch) {
      return std::make_unique<CountingPlane>(batch, first.load(), elsewhere, fails_after);
    };
    Problem problem;
    problem.world = world;
    share_episodes(problem.world, ranks);
    if (!ranks.is_first()) return help(problem, ranks);
    const Helpers helpers(ranks);
    work(problem.world);
  });
  return elsewhere;
}

TEST(SpreadEnvironment, OthersStepTheirSlots) {
  const int steps = in_counting_plane(0, [](const World& world) {
    expect_alike(world, *world.to_train_in(4), *plane_world().environment(4), 6);
  });
  EXPECT_GE(steps, 5);  // all but one in which its episodes have ended
}

TEST(SpreadEnvironment, WhatGoesWrongOnOneIsSaidByTheFirstAndTheNextBatchWorks) {
  in_counting_plane(3, [](const World& world) {
    try {
      expect_alike(world, *world.to_train_in(4), *plane_world().environment(4), 10);
      ADD_FAILURE() << "nothing was wrong";
    } catch (const OracleFailed& error) {
      EXPECT_EQ(std::string(error.what()), "rank 1: the simulator has crashed");
    }
    expect_alike(world, *world.to_train_in(4), *plane_world().environment(4), 10);
  });
}

class SpreadTraining : public RunTest {
 protected:
  struct StopWithin final : SolveListener {
    bool oracle_progress(int call, double part) override { return call < 2 || part < 0.4; }
  };

  /// An example with changes. Every rank reads it for itself, as processes do.
  struct Changed {
    std::string name;
    std::vector<std::string> changes;

    Config read() const {
      Config config = Config::read(std::string(C2RL_SOURCE_DIR) + "/examples/" + name + ".toml");
      for (const std::string& assignment : changes) config.override_value(assignment);
      return config;
    }
  };
  /// Solves it, on so many ranks, from where it is.
  void solve_on(int size, const Changed& example, bool goes_on, SolveListener& listener) {
    ThreadRanks(size).run([&](Ranks& ranks) {
      const Problem problem = read_problem(example.read(), {.ranks = ranks});
      if (!ranks.is_first()) return help(problem, ranks);
      const Helpers helpers(ranks);
      const RunDirectory directory =
          goes_on ? RunDirectory::resume(path_, Sync::no) : RunDirectory::create(path_, problem, Sync::no);
      solve(problem, &directory, listener);
    });
  }
  void expect_the_same_on_any_number(const Changed& example) {
    SolveListener listener;
    std::string expected;
    for (const int size : {1, 2, 3}) {
      std::filesystem::remove_all(path_);
      solve_on(size, example, false, listener);
      if (size == 1) expected = result();
      EXPECT_EQ(result(), expected) << size;
      // Begun on as many, stopped within a call, and ended on others.
      std::filesystem::remove_all(path_);
      StopWithin stops;
      solve_on(size, example, false, stops);
      EXPECT_TRUE(std::filesystem::exists(inside("checkpoint.safetensors")));
      solve_on(4 - size, example, true, listener);
      EXPECT_EQ(result(), expected) << size << " and then " << 4 - size;
    }
  }
};

TEST_F(SpreadTraining, A2cOfNumberedStates) {
  expect_the_same_on_any_number(
      {"navigation",
       {"oracle.kind=a2c", "oracle.training_steps=8000", "oracle.hidden=[8]", "oracle.environments=8",
        "oracle.retries=1", "oracle.checkpoint_seconds=1e-9", "solver.max_oracle_calls=3",
        "target.max_steps=20000"}});
}

TEST_F(SpreadTraining, PpoOfRealNumbers) {
  expect_the_same_on_any_number(
      {"pendulum",
       {"oracle.kind=ppo", "oracle.training_steps=4000", "oracle.hidden=[8]", "oracle.environments=5",
        "oracle.retries=0", "oracle.checkpoint_seconds=1e-9", "oracle.early_stop=false",
        "solver.max_oracle_calls=3", "target.max_steps=20000"}});
}

}  // namespace
}  // namespace c2rl
