#include "c2rl/base/quantiles.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

namespace c2rl {
namespace {

void expect_close(double found, double expected) {
  EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected));
}

// From mpmath, 40 digits, unless said otherwise.
TEST(Quantiles, NormalMatchesKnownValues) {
  expect_close(normal_quantile(0.025), -1.9599639845400542);
  expect_close(normal_quantile(1e-3), -3.0902323061678135);
  expect_close(normal_quantile(1e-12), -7.0344838253011319);
  expect_close(normal_quantile(1e-100), -21.273453560965324);
  expect_close(normal_quantile(0.975), 1.9599639845400542);
  expect_close(normal_quantile(0.4999), -0.00025066283008800749);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Quantiles, StudentMatchesKnownValues) {
  expect_close(student_quantile(0.05, 1), -6.3137515146750427);
  expect_close(student_quantile(0.05, 9), -1.8331129326562371);
  expect_close(student_quantile(0.975, 99), 1.9842169515864175);
  expect_close(student_quantile(0.001, 29), -3.396240288356803);
  expect_close(student_quantile(1e-12, 4), -1316.0727465592565);
  expect_close(student_quantile(1e-12, 999), -7.1243197327606537);
  expect_close(student_quantile(0.005, 1e6), -2.5758342201053341);
  expect_close(student_quantile(0.49, 7), -0.02597794156951689);
  expect_close(student_quantile(0.01, 2.5), -5.3531111730308743);
  EXPECT_EQ(student_quantile(0.5, 3), 0);
  EXPECT_EQ(student_quantile(0.05, 1e300), normal_quantile(0.05));
}

TEST(Quantiles, StudentHasTheClosedFormsOfOneAndTwoDegrees) {
  for (double p = 1e-12; p < 0.5; p *= 3) {
    expect_close(student_quantile(p, 1), -1 / std::tan(std::numbers::pi * p));
    expect_close(student_quantile(p, 2), (2 * p - 1) / std::sqrt(2 * p * (1 - p)));
  }
}

TEST(Quantiles, BetaMatchesKnownValues) {
  expect_close(beta_quantile(0.95, 1, 100), 0.029513049607039926);
  expect_close(beta_quantile(0.95, 4, 97), 0.07571079374983004);
  expect_close(beta_quantile(0.05, 3, 98), 0.0082258291076526869);
  expect_close(beta_quantile(1e-12, 3, 98), 1.8356194835316627e-6);
  expect_close(beta_quantile(0.99, 1, 1e6), 4.6051595822081469e-6);
  expect_close(beta_quantile(0.3, 0.5, 0.5), 0.20610737385376342);
  expect_close(beta_quantile(1e-12, 0.1, 20), 3.1060835037233846e-122);
  expect_close(beta_quantile(1e-9, 2, 1e9), 4.4722026207965627e-14);
  expect_close(beta_quantile(0.975, 5001, 5000), 0.5098486194100196);  // from scipy
  expect_close(beta_quantile(0.999, 250001, 750000), 0.25134028268906783);
}

// With a = 1 the probability to be above x is (1 - x)^b.
TEST(Quantiles, BetaHasTheClosedFormOfOneSuccess) {
  for (double b : {0.5, 1.0, 30.0, 1e3, 1e6, 1e9, 1e12}) {
    for (double p : {1e-12, 1e-3, 0.05, 0.5, 0.95, 0.999}) {
      expect_close(beta_quantile(p, 1, b), -std::expm1(std::log1p(-p) / b));
      // In the mirror it is what is left of 1 that is known well.
      expect_close(beta_quantile(p, b, 1), std::exp(std::log(p) / b));
    }
  }
}

TEST(Quantiles, RefuseWhatIsNoProbability) {
  EXPECT_THROW(normal_quantile(0), std::logic_error);
  EXPECT_THROW(student_quantile(1, 3), std::logic_error);
  EXPECT_THROW(student_quantile(0.1, 0), std::logic_error);
  EXPECT_THROW(beta_quantile(std::nan(""), 1, 1), std::logic_error);
  EXPECT_THROW(beta_quantile(0.1, 0, 1), std::logic_error);
}

}  // namespace
}  // namespace c2rl
