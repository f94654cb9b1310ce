#include "c2rl/mdp/limits.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/base/quantiles.h"
#include "c2rl/base/random.h"

namespace c2rl {
namespace {

ScalarSample sample_of(const std::vector<double>& values) {
  ScalarSample sample;
  for (const double value : values) sample.add(value);
  return sample;
}

void expect_same(const ScalarSample& found, const ScalarSample& expected) {
  EXPECT_EQ(found.count, expected.count);
  EXPECT_NEAR(found.mean, expected.mean, 1e-12);
  EXPECT_NEAR(found.squares, expected.squares, 1e-10);
  EXPECT_NEAR(found.cubes, expected.cubes, 1e-9);
  EXPECT_EQ(found.lowest, expected.lowest);
  EXPECT_EQ(found.highest, expected.highest);
  EXPECT_EQ(found.at_lowest, expected.at_lowest);
  EXPECT_EQ(found.at_highest, expected.at_highest);
}

TEST(ScalarSample, HasTheMomentsOfItsValues) {
  const ScalarSample sample = sample_of({1, 2, 6, 1, 6, 2});
  EXPECT_DOUBLE_EQ(sample.mean, 3);
  EXPECT_DOUBLE_EQ(sample.squares, 4 + 1 + 9 + 4 + 9 + 1);
  EXPECT_DOUBLE_EQ(sample.cubes, -8 - 1 + 27 - 8 + 27 - 1);
  EXPECT_DOUBLE_EQ(sample.variance(), 28.0 / 5);
  EXPECT_EQ(sample.lowest, 1);
  EXPECT_EQ(sample.at_lowest, 2);
  EXPECT_EQ(sample.highest, 6);
  EXPECT_EQ(sample.at_highest, 2);
}

TEST(ScalarSample, MergedIsAsIfAddedOneByOne) {
  Rng rng(1);
  for (int split = 0; split <= 12; ++split) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) values.push_back(static_cast<double>(rng.below(4)));
    ScalarSample first = sample_of({values.begin(), values.begin() + split});
    first.merge(sample_of({values.begin() + split, values.end()}));
    expect_same(first, sample_of(values));
  }
}

TEST(ScalarSample, EqualValuesHaveNoSpreadAtAll) {
  ScalarSample sample = sample_of(std::vector<double>(7, 0.1));
  sample.merge(sample_of(std::vector<double>(5, 0.1)));
  EXPECT_EQ(sample.mean, 0.1);
  EXPECT_EQ(sample.squares, 0);
  EXPECT_EQ(sample.cubes, 0);
  EXPECT_EQ(sample.at_lowest, 12);
  EXPECT_EQ(sample.at_highest, 12);
}

TEST(ScalarSample, ScaledKeepsMeanVarianceAndShares) {
  const ScalarSample sample = sample_of({0, 0, 0, 1});
  const ScalarSample larger = sample.scaled_to(400);
  EXPECT_EQ(larger.count, 400);
  EXPECT_EQ(larger.mean, sample.mean);
  EXPECT_DOUBLE_EQ(larger.variance(), sample.variance());
  EXPECT_EQ(larger.at_highest, 100);
  EXPECT_EQ(larger.at_lowest, 300);
  const ScalarSample constant = sample_of({2, 2}).scaled_to(9.6);
  EXPECT_EQ(constant.count, 10);
  EXPECT_EQ(constant.at_lowest, 10);
  EXPECT_EQ(constant.squares, 0);
}

ScalarSample events(int hits, int count) {
  ScalarSample sample;
  for (int i = 0; i < count; ++i) sample.add(i < hits ? 1 : 0);
  return sample;
}

double binomial(int hits, int count, double p) {
  return std::exp(std::lgamma(count + 1.0) - std::lgamma(hits + 1.0) - std::lgamma(count - hits + 1.0) +
                  hits * std::log(p) + (count - hits) * std::log1p(-p));
}

double binomial_cdf(int hits, int count, double p) {
  double sum = 0;
  for (int k = 0; k <= hits; ++k) sum += binomial(k, count, p);
  return sum;
}

TEST(Limits, EventsHaveTheExactOnesOfTheBinomialDistribution) {
  const TotalRange range{0, 1, true};
  for (const auto& [hits, count] : {std::pair{0, 30}, {1, 30}, {7, 50}, {49, 50}, {3, 1000}}) {
    const std::vector<Stratum> strata = {{1, events(hits, count)}};
    for (const double risk : {0.05, 1e-3}) {
      EXPECT_NEAR(binomial_cdf(hits, count, upper_limit(strata, range, risk)), risk, 1e-9 * risk);
      if (hits == 0) continue;
      EXPECT_NEAR(1 - binomial_cdf(hits - 1, count, lower_limit(strata, range, risk)), risk, 1e-9);
    }
  }
  // Of other size, and always or never.
  const std::vector<Stratum> never = {{1, events(0, 30)}}, always = {{1, events(30, 30)}};
  EXPECT_NEAR(upper_limit(never, range, 0.05), 1 - std::pow(0.05, 1.0 / 30), 1e-12);
  EXPECT_EQ(lower_limit(never, range, 0.05), 0);
  EXPECT_EQ(upper_limit(always, range, 0.05), 1);
  EXPECT_NEAR(lower_limit(always, range, 0.05), std::pow(0.05, 1.0 / 30), 1e-12);
  ScalarSample negative;
  for (int i = 0; i < 30; ++i) negative.add(i < 3 ? -2 : 0);
  EXPECT_NEAR(upper_limit(std::vector<Stratum>{{1, negative}}, {-2, 0, true}, 0.05),
              -2 * lower_limit(std::vector<Stratum>{{1, events(3, 30)}}, range, 0.05), 1e-12);
}

TEST(Limits, WithoutARangeSymmetricTotalsHaveStudentsOnes) {
  const std::vector<Stratum> strata = {{1, sample_of({1, 2, 3, 4, 5})}};
  const double half = student_quantile(0.95, 4) * std::sqrt(2.5 / 5);
  EXPECT_NEAR(upper_limit(strata, {}, 0.05), 3 + half, 1e-12);
  EXPECT_NEAR(lower_limit(strata, {}, 0.05), 3 - half, 1e-12);
  const std::vector<Stratum> two = {{0.5, sample_of({1, 2, 3, 4, 5})},
                                    {0.5, sample_of({11, 12, 13, 14, 15})}};
  EXPECT_NEAR(upper_limit(two, {}, 0.05), 8 + half / std::sqrt(2), 1e-12);
}

TEST(Limits, WhatWasNeverSeenCountsWhereTheRangeIsKnown) {
  const std::vector<Stratum> strata = {{1, sample_of(std::vector<double>(1000, 12))}};
  const TotalRange range{12, 500};
  // At least the rule of three: unseen totals have a probability of at most log(20) / 1000.
  EXPECT_GE(upper_limit(strata, range, 0.05), 12 + 488 * std::log(20) / 1000);
  EXPECT_LE(upper_limit(strata, range, 0.05), 12 + 488 * 5.0 / 1000);
  EXPECT_EQ(lower_limit(strata, range, 0.05), 12);
  EXPECT_EQ(upper_limit(strata, {12, 12}, 0.05), 12);
  EXPECT_EQ(upper_limit(strata, {}, 0.05), 12);
}

TEST(Limits, OneEpisodeSaysNothing) {
  const std::vector<Stratum> strata = {{0.5, sample_of({1})}, {0.5, sample_of({1, 2, 3})}};
  EXPECT_EQ(upper_limit(strata, {}, 0.05), kInfinity);
  EXPECT_EQ(upper_limit(strata, {0, 9}, 0.05), 9);
  EXPECT_EQ(lower_limit(strata, {0, 9}, 0.05), 0);
  const std::vector<Stratum> weightless = {{0, sample_of({1})}, {1, sample_of({1, 2, 3})}};
  EXPECT_LT(upper_limit(weightless, {}, 0.05), kInfinity);
  EXPECT_THROW(upper_limit(strata, {}, 0), std::logic_error);
}

/// How often the limits of a sample of zeros and ones miss the truth p; computed, not sampled.
double misses(const std::vector<double>& upper, double p) {
  const int count = static_cast<int>(upper.size()) - 1;
  double sum = 0;
  for (int k = 0; k <= count && upper[k] < p; ++k) sum += binomial(k, count, p);
  return sum;
}

// Totals that are not said to be an event, and yet are one, are the hardest of a range: all is at its ends.
TEST(Limits, MissZerosAndOnesNoMoreOftenThanSaid) {
  for (const int count : {30, 100, 400}) {
    for (const double risk : {0.05, 0.01, 1e-3, 1e-6}) {
      std::vector<double> upper, mirrored;  // by how many ones there are; by how many zeros
      for (int k = 0; k <= count; ++k) {
        const std::vector<Stratum> strata = {{1, events(k, count)}}, mirror = {{1, events(count - k, count)}};
        upper.push_back(upper_limit(strata, {0, 1}, risk));
        mirrored.push_back(1 - lower_limit(mirror, {0, 1}, risk));
      }
      for (double p = 1e-5; p < 0.99; p *= 1.05) {
        EXPECT_LE(misses(upper, p), risk) << count << " episodes, risk " << risk << ", truth " << p;
        EXPECT_LE(misses(mirrored, p), risk) << count << " episodes, risk " << risk << ", truth " << p;
      }
    }
  }
}

TEST(Limits, MissMixturesOfEventsNoMoreOftenThanSaid) {
  constexpr int kFirst = 60, kSecond = 25;
  for (const double weight : {0.5, 0.15}) {
    for (const double risk : {0.05, 1e-3}) {
      Matrix upper(kFirst + 1, kSecond + 1), lower = upper;
      for (int a = 0; a <= kFirst; ++a) {
        for (int b = 0; b <= kSecond; ++b) {
          const std::vector<Stratum> strata = {{weight, events(a, kFirst)}, {1 - weight, events(b, kSecond)}};
          upper(a, b) = upper_limit(strata, {0, 1, true}, risk);
          lower(a, b) = lower_limit(strata, {0, 1, true}, risk);
        }
      }
      for (const double p : {1e-4, 1e-2, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99}) {
        for (const double q : {1e-4, 1e-2, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99}) {
          const double truth = weight * p + (1 - weight) * q;
          double above = 0, below = 0;
          for (int a = 0; a <= kFirst; ++a) {
            for (int b = 0; b <= kSecond; ++b) {
              const double probability = binomial(a, kFirst, p) * binomial(b, kSecond, q);
              if (upper(a, b) < truth) above += probability;
              if (lower(a, b) > truth) below += probability;
            }
          }
          EXPECT_LE(above, risk) << weight << " of " << p << " and " << q;
          EXPECT_LE(below, risk) << weight << " of " << p << " and " << q;
        }
      }
    }
  }
}

// bench/coverage_bench has the whole table. Here 500 mixtures of two walks that are stuck with another
// probability each: t alone holds in 0.91 of them.
TEST(Limits, HoldForMixturesAsOftenAsSaid) {
  constexpr int kSamples = 500, kCount = 500;
  constexpr double kRisk = 0.05, kStuck = 500;
  int upper = 0, lower = 0;
  for (int i = 0; i < kSamples; ++i) {
    Rng rng = Rng(2).fork("sample", i);
    std::vector<Stratum> strata = {{0.5, {}}, {0.5, {}}};
    for (int k = 0; k < kCount; ++k) {
      strata[0].sample.add(rng.uniform() < 1e-3 ? kStuck : 12 + static_cast<double>(rng.below(3)));
      strata[1].sample.add(rng.uniform() < 1e-2 ? kStuck : 12 + static_cast<double>(rng.below(3)));
    }
    const double truth = 13 + 0.5 * (kStuck - 13) * (1e-3 + 1e-2);
    upper += upper_limit(strata, {12, kStuck}, kRisk) >= truth ? 1 : 0;
    lower += lower_limit(strata, {12, kStuck}, kRisk) <= truth ? 1 : 0;
  }
  const double least = (1 - kRisk) * kSamples - 3 * std::sqrt(kRisk * (1 - kRisk) * kSamples);
  EXPECT_GE(upper, least);
  EXPECT_GE(lower, least);
}

}  // namespace
}  // namespace c2rl
