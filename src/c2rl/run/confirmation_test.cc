#include "c2rl/run/confirmation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/base/random.h"

namespace c2rl {
namespace {

World some_world() {
  World world;
  world.measurements = {"a", "b"};
  world.ranges = {{0, 100}, {0, 1}};
  return world;
}

Target some_target(const World& world) {
  return make_target(world.measurements, {parse_constraint("a <= 11", world.measurements),
                                          parse_constraint("b <= 0.5", world.measurements)});
}

class Confirmation : public testing::Test {
 protected:
  /// Episodes whose first total is around a mean, and whose second happens with a probability.
  Measured sample(double mean, double spread, double probability, int count, std::uint64_t seed) const {
    Rng rng(seed);
    EpisodeTotals episodes{.totals = Matrix(2, count)};
    for (int i = 0; i < count; ++i)
      episodes.totals.col(i) << mean + spread * (2 * rng.uniform() - 1), rng.uniform() < probability ? 1 : 0;
    Measured measured;
    measured.add(episodes, demands_);
    return measured;
  }

  World world_ = some_world();
  Demands demands_{some_target(world_), world_, 0};
};

TEST_F(Confirmation, EpisodesPoolToTheirCommonMean) {
  Measured first = sample(10, 2, 0.3, 400, 1);
  const Measured second = sample(10, 2, 0.3, 100, 2);
  const Vector expected = 0.8 * first.point + 0.2 * second.point;
  first.merge(second);
  EXPECT_EQ(first.episodes, 500);
  EXPECT_LT((first.point - expected).norm(), 1e-12);
  EXPECT_NEAR(first.standard_error[0], 2 / std::sqrt(3.0 * 500), 0.005);
}

TEST_F(Confirmation, MoreEpisodesAreExpectedToSayMore) {
  const Measured quick = sample(10, 2, 0.6, 400, 1), safe = sample(11.5, 1, 0.1, 400, 2);
  const std::vector<Member> mixture = {{0.5, &quick}, {0.5, &safe}};
  const Vector few = expected_half_widths(demands_, mixture, {200, 200}, Vector{{0.025, 0.025}});
  const Vector many = expected_half_widths(demands_, mixture, {20'000, 20'000}, Vector{{0.025, 0.025}});
  for (int i = 0; i < demands_.size(); ++i) {
    EXPECT_GT(many[i], 0);
    EXPECT_LT(many[i], few[i] / 5);
  }
}

TEST_F(Confirmation, RiskGoesWhereItIsClose) {
  const Measured close = sample(10.95, 1, 0.1, 2000, 5), far = sample(5, 1, 0.1, 2000, 6);
  const std::vector<std::int64_t> counts = {2000};
  const Vector one = risks_of(demands_, {{1, &close}}, counts, 0.05);
  EXPECT_NEAR(one.sum(), 0.05, 1e-15);
  EXPECT_GT(one[0], 0.049);
  EXPECT_GT(one[1], 0);
  // Nothing is close: nobody needs more than the others.
  const Vector none = risks_of(demands_, {{1, &far}}, counts, 0.05);
  EXPECT_NEAR(none[0], 0.025, 1e-15);
  EXPECT_NEAR(none[1], 0.025, 1e-15);
  // With less of the risk, less can be said.
  EXPECT_GT(upper_limits(demands_, {{1, &close}}, Vector{{0.001, 0.049}})[0],
            upper_limits(demands_, {{1, &close}}, one)[0]);
}

// Inside by a little: so many episodes are said to be needed, and no fewer are enough.
TEST_F(Confirmation, SaysHowManyEpisodesAreNeeded) {
  const Measured close = sample(10.8, 2, 0.3, 2000, 3);
  const std::vector<Member> mixture = {{1, &close}};
  const auto needed = episodes_to_confirm(demands_, mixture, 0.05);
  ASSERT_TRUE(needed);
  const auto met = [&](double count) {
    const std::vector<std::int64_t> counts = share_out(demands_, mixture, count);
    const Vector risks = risks_of(demands_, mixture, counts, 0.05);
    return demands_.met(upper_limits(demands_, mixture, risks, counts));
  };
  EXPECT_TRUE(met(1.02 * *needed));
  EXPECT_FALSE(met(0.9 * *needed));
  const Measured outside = sample(11.5, 2, 0.3, 2000, 4);
  EXPECT_FALSE(episodes_to_confirm(demands_, {{1, &outside}}, 0.05));
}

TEST_F(Confirmation, EpisodesGoWhereTheyDecide) {
  const Measured wild = sample(9, 8, 0.3, 400, 5), tame = sample(9, 0.5, 0.3, 400, 6);
  const auto counts = share_out(demands_, {{0.5, &wild}, {0.5, &tame}}, 10'000);
  EXPECT_GT(counts[0], counts[1]);
  EXPECT_NEAR(static_cast<double>(counts[0] + counts[1]), 10'000, 2);
  // However small its weight, a member is looked at.
  EXPECT_GE(share_out(demands_, {{1 - 1e-9, &wild}, {1e-9, &tame}}, 1000)[1], 50);
}

TEST_F(Confirmation, WhatWasComputedNeedsNoEpisodes) {
  const Measured computed{.point = Vector{{11, 0.5}}, .standard_error = Vector::Zero(2), .computed = true};
  EXPECT_EQ(share_out(demands_, {{1, &computed}}, 1000), std::vector<std::int64_t>{0});
  EXPECT_TRUE(demands_.met(upper_limits(demands_, {{1, &computed}}, 1e-9)));
}

TEST_F(Confirmation, AllAttemptsTogetherRiskNoMore) {
  double sum = 0;
  for (int k = 1; k < 100'000; ++k) sum += attempt_risk(0.05, k);
  EXPECT_LE(sum, 0.05);
  EXPECT_NEAR(sum, 0.05, 1e-6);
}

}  // namespace
}  // namespace c2rl
