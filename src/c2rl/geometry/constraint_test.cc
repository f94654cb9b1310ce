#include "c2rl/geometry/constraint.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace c2rl {
namespace {

const std::vector<std::string> kNames = {"a", "b", "steps", "wall hits"};

Constraint parse(std::string_view text) {
  return parse_constraint(text, kNames);
}

Vector row(double a, double b = 0, double steps = 0, double hits = 0) {
  return Vector{{a, b, steps, hits}};
}

void expect_one_range(std::string_view text, const Vector& normal, double lower, double upper) {
  SCOPED_TRACE(text);
  const Constraint constraint = parse(text);
  ASSERT_EQ(constraint.ranges.size(), 1u);
  EXPECT_TRUE(constraint.norms.empty());
  EXPECT_EQ(constraint.ranges[0].normal, normal);
  EXPECT_EQ(constraint.ranges[0].lower, lower);
  EXPECT_EQ(constraint.ranges[0].upper, upper);
}

TEST(Constraint, LinearComparisonsGiveExactCoefficientsAndBounds) {
  expect_one_range("a <= 1", row(1), -kInfinity, 1);
  expect_one_range("1 >= a", row(1), -kInfinity, 1);
  expect_one_range("a >= 1", row(1), 1, kInfinity);
  expect_one_range("-a <= 1", row(1), -1, kInfinity);
  expect_one_range("b == 0.5", row(0, 1), 0.5, 0.5);
  expect_one_range("2*steps + b/3 <= 12 - a", row(1, 1.0 / 3, 2), -kInfinity, 12);
  expect_one_range("a - 3 >= 2*(b - 4)/8", row(1, -0.25), 2, kInfinity);
  expect_one_range("(a + b)*3 - --(2*a) <= +-6", row(1, 3), -kInfinity, -6);
  expect_one_range("1e2*a + .5*b + 5.*steps <= 1.5E-1", row(100, 0.5, 5), -kInfinity, 0.15);
  expect_one_range("\"wall hits\" - \"a\" <= 2", row(1, 0, 0, -1), -2, kInfinity);
  expect_one_range("0 <= -a", row(1), -kInfinity, 0);
  expect_one_range("a\n  <=\t1", row(1), -kInfinity, 1);
}

TEST(Constraint, ChainWithConstantEndsIsOneRange) {
  expect_one_range("0 <= steps <= 11", row(0, 0, 1), 0, 11);
  expect_one_range("11 >= steps >= 0", row(0, 0, 1), 0, 11);
  expect_one_range("1 <= 3 - 2*a + b <= 4", row(2, -1), -1, 2);
  expect_one_range("0 <= a == 2", row(1), 2, 2);
}

TEST(Constraint, ChainWithOtherEndsIsOneRangePerComparison) {
  const Constraint constraint = parse("a <= b <= steps + 1");
  ASSERT_EQ(constraint.ranges.size(), 2u);
  EXPECT_EQ(constraint.ranges[0].normal, row(1, -1));
  EXPECT_EQ(constraint.ranges[0].upper, 0);
  EXPECT_EQ(constraint.ranges[1].normal, row(0, 1, -1));
  EXPECT_EQ(constraint.ranges[1].upper, 1);
}

TEST(Constraint, AbsIsBoundedOnBothSides) {
  expect_one_range("abs(a - b) <= 0.1", row(1, -1), -0.1, 0.1);
  expect_one_range("3 >= 2*abs(a - 1) - 1", row(2), -2, 6);
  expect_one_range("a <= abs(-3)", row(1), -kInfinity, 3);
  expect_one_range("abs(a) <= a", row(2), 0, kInfinity);

  const Constraint linear = parse("abs(a - 1) <= b/2");
  ASSERT_EQ(linear.ranges.size(), 2u);
  EXPECT_EQ(linear.ranges[0].normal, row(1, -0.5));
  EXPECT_EQ(linear.ranges[0].upper, 1);
  EXPECT_EQ(linear.ranges[1].normal, row(1, 0.5));
  EXPECT_EQ(linear.ranges[1].lower, 1);
}

TEST(Constraint, NormKeepsRowsCenterAndRadius) {
  const Constraint constraint = parse("2*norm(a - 1, b/2 + steps) - 1 <= 3");
  EXPECT_TRUE(constraint.ranges.empty());
  ASSERT_EQ(constraint.norms.size(), 1u);
  EXPECT_EQ(constraint.norms[0].a, (Matrix{{1, 0, 0, 0}, {0, 0.5, 1, 0}}));
  EXPECT_EQ(constraint.norms[0].b, (Vector{{1, 0}}));
  EXPECT_EQ(constraint.norms[0].radius, 2);
  EXPECT_EQ(parse("norm(3, 4)*4 >= norm(a, b)/0.5 + 2").norms.at(0).radius, 9);
}

TEST(Constraint, TextIsKeptTrimmed) {
  EXPECT_EQ(parse("  a  <= 1 \n").text, "a  <= 1");
}

TEST(Constraint, AMeasurementMayBeCalledNorm) {
  const std::vector<std::string> names = {"norm", "say \"hi\""};
  EXPECT_EQ(parse_constraint("norm <= 3", names).ranges.at(0).normal, (Vector{{1, 0}}));
  EXPECT_EQ(parse_constraint(R"("say ""hi""" <= 3)", names).ranges.at(0).normal, (Vector{{0, 1}}));
}

TEST(Constraint, BoundsThatTouchUpToRoundingAreAnEquation) {
  expect_one_range("0.1*3 <= a <= 0.3", row(1), 0.1 * 3, 0.1 * 3);
}

TEST(Constraint, ViolationIsTheDistanceToTheWorstPart) {
  const Constraint plane = parse("-5 <= 3*a + 4*b <= 10");
  EXPECT_DOUBLE_EQ(plane.violation(row(5, 5)), 5);
  EXPECT_DOUBLE_EQ(plane.violation(row(-5, 0)), 2);
  EXPECT_DOUBLE_EQ(plane.violation(row(0, 0)), -1);
  const Constraint ball = parse("norm(a - 1, b - 2, steps, \"wall hits\") <= 3");
  EXPECT_DOUBLE_EQ(ball.violation(row(1, 12)), 7);
  EXPECT_DOUBLE_EQ(ball.violation(row(1, 2)), -3);
  // The ellipse with half axes 1/2 and 1: exact along the short axis, below the distance along the long one.
  const Constraint ellipse = parse("norm(2*a, b) <= 1");
  EXPECT_DOUBLE_EQ(ellipse.violation(row(2, 0)), 1.5);
  EXPECT_DOUBLE_EQ(ellipse.violation(row(0, 3)), 1);
}

TEST(Constraint, ExcessIsInTheUnitsOfTheText) {
  const auto amount = [](const char* text, const Vector& x) {
    return parse(text).excess(x, x.cwiseAbs()).amount;
  };
  EXPECT_DOUBLE_EQ(amount("10*a <= 110", row(10)), -10);
  EXPECT_DOUBLE_EQ(amount("a <= 11", row(10)), -1);
  EXPECT_DOUBLE_EQ(amount("-5 <= 3*a + 4*b <= 10", row(5, 5)), 25);
  EXPECT_DOUBLE_EQ(amount("-5 <= 3*a + 4*b <= 10", row(0, 0)), -5);
  EXPECT_DOUBLE_EQ(amount("a >= 2 + b/4", row(1, 8)), 3);
  EXPECT_DOUBLE_EQ(amount("norm(2*a, b) <= 1", row(2, 0)), 3);
  EXPECT_DOUBLE_EQ(amount("3*norm(2*a, b) - 1 <= 2", row(2, 0)), 9);
  EXPECT_DOUBLE_EQ(amount("2*abs(a - 1) <= 6", row(2)), -4);
  EXPECT_DOUBLE_EQ(amount("a == 2", row(5)), 3);
}

// Of the side with the least slack alone: that a lies far below 1e12 makes no rounding of what is near 0.
TEST(Constraint, TermsOfAnExcessAreThoseOfItsOwnSide) {
  EXPECT_DOUBLE_EQ(parse("0 <= a <= 1e12").excess(row(11), row(12)).terms, 12);
  EXPECT_DOUBLE_EQ(parse("3*a - 4*b <= 10").excess(row(2, 1), row(2, 1)).terms, 20);
  EXPECT_DOUBLE_EQ(parse("2*norm(a - 3, b) <= 6").excess(row(0, 4), row(0, 4)).terms, 16);
}

/// Every digit of a double, so that reading it gives the same one.
std::string exact(double x) {
  return fmt::format("{:.17g}", x);
}

// Coefficients and bounds are eighths, so that the arithmetic of moving terms between the sides is exact.
TEST(ConstraintProperty, PrintedHalfspaceIsReadBack) {
  const bool held = rc::check("a half-space split over both sides is the same half-space", [] {
    const auto eighths = rc::gen::map(rc::gen::inRange(-800, 801), [](int n) { return n / 8.0; });
    const auto left = *rc::gen::container<std::vector<double>>(5, eighths);
    const auto right = *rc::gen::container<std::vector<double>>(5, eighths);
    const bool at_most = *rc::gen::arbitrary<bool>();
    Vector normal(4);
    for (int i = 0; i < 4; ++i) normal(i) = left[i] - right[i];
    const double bound = right[4] - left[4];
    RC_PRE((normal.array() != 0).any());

    const auto print = [](const std::vector<double>& side) {
      const size_t first = *rc::gen::inRange<size_t>(0, 5);
      std::string text = "0";
      for (size_t k = 0; k < 5; ++k) {
        const size_t i = (first + k) % 5;
        text += " + " + exact(side[i]);
        if (i < 4) text += *rc::gen::element<std::string>("*", " * +") + "\"" + kNames[i] + "\"";
      }
      return text;
    };
    const Constraint constraint = parse(print(left) + (at_most ? " <= " : " >= ") + print(right));
    RC_ASSERT(constraint.ranges.size() == 1u);
    const LinearRange& range = constraint.ranges[0];
    const double sign = range.normal == normal ? 1 : -1;
    RC_ASSERT(range.normal == sign * normal);
    const bool upper = at_most == (sign > 0);
    RC_ASSERT((upper ? range.upper : range.lower) == sign * bound);
    RC_ASSERT((upper ? range.lower : range.upper) == (upper ? -kInfinity : kInfinity));
  });
  EXPECT_TRUE(held);
}

void expect_usable(const Constraint& constraint) {
  for (const LinearRange& range : constraint.ranges) {
    RC_ASSERT(range.normal.allFinite() && (range.normal.array() != 0).any());
    RC_ASSERT(range.lower <= range.upper);
    RC_ASSERT(range.lower < kInfinity && range.upper > -kInfinity);
    RC_ASSERT(std::isfinite(range.lower) || std::isfinite(range.upper));
  }
  for (const NormBound& norm : constraint.norms) {
    RC_ASSERT(norm.a.allFinite() && norm.b.allFinite() && (norm.a.array() != 0).any());
    RC_ASSERT(std::isfinite(norm.radius) && norm.radius >= 0);
  }
}

// Anything but an InputError escapes and fails the property.
TEST(ConstraintProperty, GarbageGivesAnInputErrorOrAUsableConstraint) {
  const bool held = rc::check("words of the language in any order", [] {
    const auto word =
        rc::gen::element<std::string>("a", "b", "\"wall hits\"", "abs(", "norm(", "(", ")", ",", "+", "-",
                                      "*", "/", "<=", ">=", "==", "1", "0", "2.5", "1e308", "1e-300");
    std::string text;
    for (const std::string& next : *rc::gen::container<std::vector<std::string>>(word)) text += next;
    // Short ones over few words are often right, so that both outcomes are met.
    const auto operand =
        rc::gen::element<std::string>("a", "b - 1", "abs(a)", "norm(a, b)", "2", "1e308*b", "1e-300*a");
    const auto comparison = rc::gen::element<std::string>("<=", ">=", "==");
    const std::string likely = *operand + *comparison + *operand + *comparison + *operand;
    for (const std::string& candidate : {text, likely, likely + text}) {
      try {
        expect_usable(parse(candidate));
      } catch (const InputError&) {
      }
    }
  });
  EXPECT_TRUE(held);
}

TEST(ConstraintProperty, RandomBytesGiveAnInputErrorOrAUsableConstraint) {
  const bool held = rc::check("characters in any order", [](const std::string& bytes) {
    const auto character =
        rc::gen::element('a', 'b', '"', '(', ')', ',', '+', '-', '*', '/', '<', '>', '=', '1', '.', 'e', ' ');
    for (const std::string& text : {bytes, *rc::gen::container<std::string>(character)}) {
      try {
        expect_usable(parse(text));
      } catch (const InputError&) {
      }
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace c2rl
