#include "c2rl/base/team.h"

#include <chrono>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace c2rl {
namespace {

// However long the team had nothing to do, and however little there is.
TEST(Team, DoesEverythingOnce) {
  for (const int threads : {1, 2, 3, 5}) {
    Team team(threads);
    EXPECT_EQ(team.threads(), threads);
    for (int round = 0; round < 2000; ++round) {
      std::vector<int> done(round % 9, 0);
      team.for_each(static_cast<int>(done.size()), [&](int i) { done[i] += 1; });
      ASSERT_EQ(std::accumulate(done.begin(), done.end(), 0), std::ssize(done)) << threads << " " << round;
      for (const int times : done) ASSERT_EQ(times, 1);
      if (round % 500 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // by now all are asleep
    }
  }
}

// What was written before is seen by the others, and what they write is seen after.
TEST(Team, EachSeesWhatWasDoneBefore) {
  Team team(3);
  std::vector<long> values(64, 1);
  const int parts = static_cast<int>(values.size());
  for (int round = 0; round < 200; ++round) {
    // Each part reads what another has written.
    std::vector<long> next(values.size());
    team.for_each(parts, [&](int i) { next[i] = values[(i + 1) % parts] + i; });
    values = next;
  }
  long sum = std::accumulate(values.begin(), values.end(), 0L);
  EXPECT_EQ(sum, 64 + 200L * (63 * 64 / 2));
}

TEST(Team, AllWork) {
  constexpr int kThreads = 3;
  Team team(kThreads);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> arrived = 0;
  // Nobody goes on before all are here.
  team.for_each(kThreads, [&](int) {
    {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    ++arrived;
    while (arrived < kThreads) std::this_thread::yield();
  });
  EXPECT_EQ(std::ssize(seen), kThreads);
  EXPECT_TRUE(seen.contains(std::this_thread::get_id()));
}

TEST(Team, AloneMeansOnTheThreadThatAsks) {
  EXPECT_EQ(Team::alone().threads(), 1);
  Team::alone().for_each(
      3, [me = std::this_thread::get_id()](int) { EXPECT_EQ(std::this_thread::get_id(), me); });
}

}  // namespace
}  // namespace c2rl
