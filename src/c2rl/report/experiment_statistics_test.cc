#include "c2rl/report/experiment_statistics.h"

#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/base/random.h"

namespace c2rl {
namespace {

TEST(InterquartileMean, LeavesOutAQuarterEachWay) {
  EXPECT_DOUBLE_EQ(interquartile_mean({100, 1, 2, 3, 4, 5, 6, -100}), 3.5);  // of 2, 3, 4, 5
  EXPECT_DOUBLE_EQ(interquartile_mean({7}), 7);
  EXPECT_DOUBLE_EQ(interquartile_mean({1, 2, 6}), 3);  // a quarter of three is nobody
}

TEST(Bootstrap, KnowsWhatIsKnown) {
  const Spread same = Bootstrap(3).spread({2, 2, 2});
  EXPECT_EQ(same.middle_low, 2);
  EXPECT_EQ(same.middle_high, 2);
  EXPECT_EQ(same.deviation, 0);
  const Spread one = Bootstrap(1).spread({5});
  EXPECT_EQ(one.middle_low, 5);
  const Spread four = Bootstrap(4).spread({1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(four.mean, 2.5);
  EXPECT_DOUBLE_EQ(four.deviation, std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(four.quartile1, 1.75);
  EXPECT_DOUBLE_EQ(four.quartile3, 3.25);
}

// Nineteen of twenty intervals hold the middle of what was drawn from, which is 0.
TEST(Bootstrap, HoldsTheTruthAsOftenAsItSays) {
  constexpr int kRuns = 40, kSamples = 400;
  const Bootstrap bootstrap(kRuns);
  Rng rng(3);
  int held = 0;
  for (int i = 0; i < kSamples; ++i) {
    std::vector<double> values;
    for (int k = 0; k < kRuns; ++k) values.push_back(rng.normal());
    const Spread spread = bootstrap.spread(values);
    held += spread.middle_low <= 0 && 0 <= spread.middle_high;
  }
  EXPECT_GE(held, 0.90 * kSamples);
  EXPECT_LE(held, 0.98 * kSamples);
}

TEST(CourseOf, ACellThatEndedKeepsItsLastRow) {
  Series series{.method = "m", .problem = "p", .variants = {}, .seeds = {0, 1}, .cells = {}};
  series.cells = {{{.call = 1, .error = 4, .policies = 1}},
                  {{.call = 1, .error = 2, .policies = 1}, {.call = 2, .error = 0, .policies = 3}}};
  const Course course = course_of(series, Clock::calls, Bootstrap(2));
  EXPECT_EQ(course.places, (std::vector<double>{1, 2}));
  EXPECT_EQ(course.error[0].mean, 3);
  EXPECT_EQ(course.error[1].mean, 2);
  EXPECT_EQ(course.policies[1].mean, 2);
  EXPECT_TRUE(course_of(series, Clock::steps, Bootstrap(2)).places.empty());
}

TEST(CourseOf, ManyCallsAreNotAllPlaces) {
  Series series{.method = "m", .problem = "p", .variants = {}, .seeds = {0}, .cells = {{}}};
  for (int call = 1; call <= 100'000; ++call) series.cells[0].push_back({.call = call, .error = 1.0 / call});
  const Course course = course_of(series, Clock::calls, Bootstrap(1));
  EXPECT_LT(course.places.size(), 250u);
  EXPECT_EQ(course.places.back(), 100'000);
  for (std::size_t i = 0; i < course.places.size(); ++i)
    EXPECT_EQ(course.error[i].mean, 1.0 / course.places[i]);
}

}  // namespace
}  // namespace c2rl
