#include "c2rl/base/ranks.h"

#include <array>
#include <new>

#include <gtest/gtest.h>

#include "c2rl/base/thread_ranks_testing.h"

namespace c2rl {
namespace {

TEST(Ranks, PartsFollowEachOtherAndAreAboutAlike) {
  for (const std::int64_t count : {0, 1, 7, 1000, 2'000'000'011}) {
    for (const int of : {1, 2, 3, 64}) {
      EXPECT_EQ(part_begin(count, 0, of), 0);
      EXPECT_EQ(part_begin(count, of, of), count);
      for (int i = 0; i < of; ++i) {
        const std::int64_t size = part_begin(count, i + 1, of) - part_begin(count, i, of);
        EXPECT_GE(size, count / of);
        EXPECT_LE(size, count / of + 1);
      }
    }
  }
}

TEST(Ranks, AnErrorOfOneIsAnErrorOfAll) {
  std::array<std::string, 3> said;
  ThreadRanks(3).run([&](Ranks& ranks) {
    try {
      together(ranks, [&] {
        if (ranks.rank() > 0) throw InputError("found " + std::to_string(ranks.rank()));
        return 0;
      });
    } catch (const InputError& error) {
      said[ranks.rank()] = error.what();
    }
  });
  EXPECT_EQ(said, (std::array<std::string, 3>{"rank 1: found 1", "found 1", "found 2"}));
}

TEST(RanksDeathTest, OneWithoutMemoryDoesNotLeaveOthersWaiting) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(ThreadRanks(2).run([](Ranks& ranks) {
    together(ranks, [&] {
      if (ranks.is_first()) throw std::bad_alloc();
      return 0;
    });
  }),
               "memory ran out");
}

TEST(Ranks, ALoneRankIsAllThereIs) {
  Ranks& ranks = lone_rank();
  EXPECT_EQ(ranks.size(), 1);
  EXPECT_EQ(together(ranks, [] { return 5; }), 5);
  ranks.send(0, "a");
  ranks.send(0, "b");
  EXPECT_EQ(ranks.wait().bytes, "a");
  EXPECT_EQ(ranks.wait().bytes, "b");
  EXPECT_FALSE(ranks.poll());
}

}  // namespace
}  // namespace c2rl
