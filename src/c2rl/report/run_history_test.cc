#include "c2rl/report/run_history.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace c2rl {
namespace {

TEST(Thinned, KeepsAllOfFew) {
  EXPECT_EQ(thinned({3, 1, 2}, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(thinned({}, 3).empty());
}

TEST(Thinned, KeepsEndsAndPeaksOfMany) {
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) values.push_back(1.0 / (i + 1));
  values[54'321] = 1e6;
  values[76'543] = -1e6;
  const std::vector<int> kept = thinned(values, 900);
  EXPECT_LE(kept.size(), 900u);
  EXPECT_GE(kept.size(), 300u);
  EXPECT_TRUE(std::ranges::is_sorted(kept));
  EXPECT_EQ(std::ranges::adjacent_find(kept), kept.end());
  EXPECT_EQ(kept.front(), 0);
  EXPECT_EQ(kept.back(), 99'999);
  EXPECT_TRUE(std::ranges::binary_search(kept, 54'321));
  EXPECT_TRUE(std::ranges::binary_search(kept, 76'543));
}

// Of a mixture of many, the largest weights; who looks at the rest knows how much it is.
TEST(RunHistory, KeepsTheLargestWeights) {
  RunHistory history;
  CallRecord record;
  record.call = 1;
  constexpr int kPolicies = 40;
  record.mixture.weights.resize(kPolicies);
  for (int i = 0; i < kPolicies; ++i) {
    record.mixture.ids.push_back(i + 1);
    record.mixture.weights[i] = i % 2 == 0 ? 0.001 : 0.049;
  }
  history.call_recalled(record);
  ASSERT_EQ(history.frames().size(), 1u);
  EXPECT_EQ(history.frames()[0].weights.size(), std::size_t{RunHistory::kWeights});
  for (const auto& [call, weight] : history.frames()[0].weights) EXPECT_EQ(weight, 0.049);
}

}  // namespace
}  // namespace c2rl
