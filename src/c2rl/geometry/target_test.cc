#include "c2rl/geometry/target.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"

namespace c2rl {
namespace {

Target target(const std::vector<std::string>& names, const std::vector<std::string>& texts) {
  std::vector<Constraint> constraints;
  constraints.reserve(texts.size());
  for (const std::string& text : texts) constraints.push_back(parse_constraint(text, names));
  return make_target(names, constraints);
}

std::string error_of(const std::vector<std::string>& names, const std::vector<std::string>& texts) {
  try {
    target(names, texts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Target, BoundsOfSingleMeasurementsMergeIntoABox) {
  const Target navigation = target(
      {"steps", "risk"}, {"0 <= steps <= 11", "risk >= 0", "2*risk <= 1", "steps <= 20", "-risk >= -3"});
  const Bounds bounds = navigation.set->bounds();
  EXPECT_EQ(bounds.lower, (Vector{{0, 0}}));
  EXPECT_EQ(bounds.upper, (Vector{{11, 0.5}}));
  EXPECT_EQ(navigation.set->project(Vector{{12, 2}}), (Vector{{11, 0.5}}));
  EXPECT_EQ(navigation.constraints.size(), 5u);
}

TEST(Target, NoConstraintsIsAllOfSpace) {
  EXPECT_EQ(target({"a", "b"}, {}).set->project(Vector{{3, -4}}), (Vector{{3, -4}}));
}

TEST(Target, LinearConstraintsMakeAPolyhedron) {
  const Target triangle = target({"a", "b"}, {"a >= 0", "b >= 0", "a + b <= 2"});
  EXPECT_TRUE(triangle.set->is_polyhedral());
  EXPECT_LT((triangle.set->project(Vector{{3, 3}}) - Vector{{1, 1}}).norm(), 1e-14);
  EXPECT_LT((triangle.set->project(Vector{{5, 1}}) - Vector{{2, 0}}).norm(), 1e-14);
}

TEST(Target, CoefficientsMayBeHugeOrTiny) {
  for (const char* text : {"1e250*a + 1e250*b <= 2e250", "1e-250*a + 1e-250*b <= 2e-250"}) {
    const Target halfplane = target({"a", "b"}, {text});
    EXPECT_LT((halfplane.set->project(Vector{{3, 3}}) - Vector{{1, 1}}).norm(), 1e-14) << text;
  }
  const Target ball = target({"a", "b"}, {"norm(1e250*a, 1e250*b) <= 1e250"});
  EXPECT_LT((ball.set->project(Vector{{0, 4}}) - Vector{{0, 1}}).norm(), 1e-14);
}

TEST(Target, NormOverAllMeasurementsIsABall) {
  for (const char* text : {"norm(a - 1, b - 2) <= 5", "norm(2 - b, a - 1) <= 5",
                           "2*norm(a - 1, b - 2) - 4 <= 6", "norm(4*a - 4, 4*b - 8) <= 20"}) {
    const Target ball = target({"a", "b"}, {text});
    EXPECT_LT((ball.set->project(Vector{{7, 10}}) - Vector{{4, 6}}).norm(), 1e-14) << text;
    EXPECT_EQ(ball.set->bounds().lower, (Vector{{-4, -3}})) << text;
  }
}

TEST(Target, NormOverSomeMeasurementsLeavesTheOthersFree) {
  const Target cylinder = target({"a", "b", "c"}, {"norm(a, 2*b) <= 2"});
  EXPECT_LT((cylinder.set->project(Vector{{0, 4, 9}}) - Vector{{0, 1, 9}}).norm(), 1e-12);
  EXPECT_LT((cylinder.set->project(Vector{{5, 0, -9}}) - Vector{{2, 0, -9}}).norm(), 1e-12);
}

TEST(Target, CurvedAndFlatConstraintsIntersect) {
  const Target half_disc = target({"a", "b"}, {"norm(a, b) <= 1", "a + b >= 0", "a >= -0.5"});
  EXPECT_LT((half_disc.set->project(Vector{{3, 4}}) - Vector{{0.6, 0.8}}).norm(), 1e-9);
  EXPECT_LT((half_disc.set->project(Vector{{-1, -1}})).norm(), 1e-9);
}

TEST(Target, BoundsThatTouchUpToRoundingAreNotAConflict) {
  EXPECT_EQ(target({"a"}, {"0.2*a <= 0.6", "a >= 3"}).set->project(Vector{{7}}), (Vector{{3}}));
}

TEST(Target, ConflictsQuoteOnlyTheConstraintsInConflict) {
  const std::vector<std::string> names = {"steps", "risk", "wait"};
  EXPECT_EQ(error_of(names, {"risk <= 1", "steps <= 3", "wait >= 0", "steps >= 5"}),
            "the target is empty: \"steps <= 3\" and \"steps >= 5\" cannot both hold");
  EXPECT_EQ(
      error_of(names, {"steps + risk <= 1", "wait <= 4", "steps >= 1", "risk >= 0.5", "wait - risk >= 0"}),
      "the target is empty: \"steps + risk <= 1\", \"steps >= 1\" and \"risk >= 0.5\" cannot all hold");
  EXPECT_EQ(
      error_of(names, {"steps >= 0", "norm(steps, risk, wait) <= 1", "steps + risk >= 3", "wait <= 1"}),
      "the target is empty: \"norm(steps, risk, wait) <= 1\" and \"steps + risk >= 3\" cannot both hold");
  EXPECT_EQ(
      error_of(names, {"norm(steps, risk) <= 1", "norm(steps - 3, risk) <= 1", "wait <= 1"}),
      "the target is empty: \"norm(steps, risk) <= 1\" and \"norm(steps - 3, risk) <= 1\" cannot both hold");
  EXPECT_EQ(error_of(names, {"wait <= 1", "norm(steps, steps - 2) <= 1"}),
            "the target is empty: \"norm(steps, steps - 2) <= 1\" cannot hold");
}

TEST(Target, ConstraintsOverOtherMeasurementsAreRefused) {
  const std::vector<std::string> one = {"a"};
  EXPECT_THROW(make_target({"a", "b"}, {parse_constraint("a <= 1", one)}), std::invalid_argument);
}

// The set and the constraints are made from the same text in different ways: a point is in the set exactly
// where no constraint is violated, and its distance is at least the worst violation.
TEST(TargetProperty, SetAndViolationsAgree) {
  const std::vector<std::string> names = {"a", "b", "c"};
  const bool held = rc::check("distance and violations", [&] {
    const auto text = rc::gen::element<std::string>(
        "-1 <= a <= 2", "b >= -3", "2*c <= 1", "a + b <= 1", "a - 2*b + c/3 >= -1", "abs(a - c) <= 1 + b/4",
        "norm(a, b, c) <= 2", "norm(a - b, 2*c) <= 1.5", "norm(a + 0.5, b) <= 1");
    const Target some = target(names, *rc::gen::container<std::vector<std::string>>(text));
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    const Vector x = 3 * rng.normal_vector(3);
    const Vector nearest = some.set->project(x);
    double worst = -kInfinity;
    for (const Constraint& constraint : some.constraints) {
      RC_ASSERT(constraint.violation(nearest) <= 1e-9);
      worst = std::max(worst, constraint.violation(x));
    }
    const double distance = (x - nearest).norm();
    RC_ASSERT(distance >= worst - 1e-9);
    if (worst <= 0) RC_ASSERT(distance <= 1e-9);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace c2rl
