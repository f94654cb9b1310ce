#include "c2rl/solve/maximize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"

namespace c2rl {
namespace {

SolverMaker standard_maker() {
  return solver_kinds().standard().configure(nullptr);
}

std::unique_ptr<Solver> maximize(const Matrix& points, SetPtr target, const Vector& objective,
                                 MaximizeMethod method = MaximizeMethod::direct, double tolerance = 1e-9) {
  auto maximizer =
      make_maximizer(method, standard_maker(), std::move(target), objective, {.tolerance = tolerance});
  PointOracle oracle(points);
  oracle.run(*maximizer);
  return maximizer;
}

const Vector kFirst{{1, 0}};

TEST(Maximize, ConcaveDeepSeaTreasureIn8Steps) {
  const Matrix points{{1, 2, 3, 5, 8, 16, 24, 50, 74, 124}, {1, 3, 5, 7, 8, 9, 13, 14, 17, 19}};
  const SetPtr target = box(Vector{{-kInfinity, 0}}, Vector{{kInfinity, 8.2}});
  const auto best = maximize(points, target, kFirst);
  // On the edge from (1, 1) to (124, 19), 7.2 of 18 steps along.
  ASSERT_EQ(best->status(), Status::optimal);
  ASSERT_TRUE(best->maximum());
  EXPECT_NEAR(best->maximum()->value, 1 + 123 * 0.4, 1e-9);
  EXPECT_NEAR(best->maximum()->upper_bound, best->maximum()->value, 1e-7);
  EXPECT_LE(best->distance(), 1e-9);
  EXPECT_EQ(best->mixture().size(), 2);

  const auto bisected = maximize(points, target, kFirst, MaximizeMethod::bisection);
  ASSERT_EQ(bisected->status(), Status::optimal);
  ASSERT_TRUE(bisected->maximum());
  EXPECT_NEAR(bisected->maximum()->value, 1 + 123 * 0.4, 1e-8);
  EXPECT_GE(bisected->maximum()->upper_bound, best->maximum()->value - 1e-8);
  EXPECT_LT(best->calls(), bisected->calls());
}

TEST(Maximize, UnconstrainedOptimumInsideTheTarget) {
  const Matrix points{{0, 3, 1}, {0, 1, 5}};
  const auto best = maximize(points, box(Vector{{-10, -10}}, Vector{{10, 10}}), kFirst);
  ASSERT_EQ(best->status(), Status::optimal);
  ASSERT_TRUE(best->maximum());
  EXPECT_NEAR(best->maximum()->value, 3, 1e-12);
}

TEST(Maximize, NothingIsAskedWhereTheTargetBoundsTheMeasurement) {
  const Matrix points{{0, 3, 1}, {0, 1, 5}};
  const auto best = make_maximizer(MaximizeMethod::direct, standard_maker(),
                                   box(Vector{{-10, -10}}, Vector{{2, 10}}), kFirst, {.tolerance = 1e-9});
  PointOracle oracle(points);
  while (const auto direction = best->ask()) {
    EXPECT_NEAR(direction->norm(), 1, 1e-12);
    best->tell(oracle.minimize(*direction));
  }
  ASSERT_EQ(best->status(), Status::optimal);
  ASSERT_TRUE(best->maximum());
  EXPECT_NEAR(best->maximum()->value, 2, 1e-9);
  EXPECT_NEAR(best->maximum()->upper_bound, 2, 1e-12);
}

TEST(Maximize, NothingInsideIsInfeasible) {
  const Matrix points{{8, 10, 12}, {4, 1, 0}};
  const auto best = maximize(points, box(Vector{{-9, -9}}, Vector{{9, 0.5}}), kFirst);
  EXPECT_EQ(best->status(), Status::infeasible);
  EXPECT_FALSE(best->maximum());
}

// Answers with standard errors are estimates, and so is the bound. Points further apart than their errors
// stay apart.
TEST(Maximize, EstimatedAnswersMakeEvidence) {
  const Matrix points{{0, 3, 1}, {0, 1, 5}};
  for (const MaximizeMethod method : {MaximizeMethod::direct, MaximizeMethod::bisection}) {
    const auto best = make_maximizer(method, standard_maker(), box(Vector{{-10, -10}}, Vector{{10, 0.5}}),
                                     kFirst, {.tolerance = 1e-6});
    PointOracle oracle(points);
    while (const auto direction = best->ask()) {
      Answer answer = oracle.minimize(*direction);
      answer.grade = Grade::evidence;
      best->tell(answer);
    }
    ASSERT_EQ(best->status(), Status::optimal);
    ASSERT_TRUE(best->maximum());
    EXPECT_NEAR(best->maximum()->value, 1.5, 1e-5);
    EXPECT_EQ(best->maximum()->grade, Grade::evidence);
  }
}

TEST(Maximize, TheObjectiveMustBeOneOfTheMeasurements) {
  for (const Vector& objective : {Vector{{1}}, Vector{{0, 0}}, Vector{{1, kInfinity}}, Vector{{1, 0, 0}}}) {
    EXPECT_THROW(
        make_maximizer(MaximizeMethod::direct, standard_maker(), ball(Vector{{0, 0}}, 1), objective, {}),
        std::logic_error);
  }
}

// On the edge from (0, 0) to (3, 1), where x + 2y = 5 s for a part s of it: y <= 0.5 leaves s = 0.5.
TEST(Maximize, AnyLinearObjective) {
  const Matrix points{{0, 3, -4}, {0, 1, 5}};
  const SetPtr target = box(Vector{{-10, -10}}, Vector{{10, 0.5}});
  for (const MaximizeMethod method : {MaximizeMethod::direct, MaximizeMethod::bisection}) {
    const auto best = maximize(points, target, Vector{{1, 2}}, method);
    ASSERT_EQ(best->status(), Status::optimal);
    EXPECT_NEAR(best->maximum()->value, 2.5, 1e-8);
    EXPECT_NEAR(best->maximum()->upper_bound, 2.5, 1e-8);
    // The least of x is where the edge from (0, 0) to (-4, 5) meets y = 0.5.
    const auto least = maximize(points, target, Vector{{-1, 0}}, method);
    ASSERT_EQ(least->status(), Status::optimal);
    EXPECT_NEAR(least->maximum()->value, 0.4, 1e-8);
  }
}

// All of space is inside: the first call asks for the objective, and its answer is all there is to know.
TEST(Maximize, WithoutConstraintsOneCallDoes) {
  const Matrix points{{0, 3, -4}, {0, 1, 5}};
  const SetPtr everything = box(Vector::Constant(2, -kInfinity), Vector::Constant(2, kInfinity));
  for (const MaximizeMethod method : {MaximizeMethod::direct, MaximizeMethod::bisection}) {
    const auto best = maximize(points, everything, Vector{{-1, 1}}, method);
    ASSERT_EQ(best->status(), Status::optimal);
    EXPECT_EQ(best->calls(), 1);
    EXPECT_EQ(best->maximum()->value, 9);
    EXPECT_EQ(best->maximum()->upper_bound, 9);
    EXPECT_EQ(best->distance(), 0);
  }
}

// A mixture may be above what bounds those that are all inside, by what the tolerance buys; the bracket is
// never upside down.
TEST(Maximize, TheBracketIsNeverUpsideDown) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    Matrix points(3, 8);
    for (Eigen::Index j = 0; j < points.cols(); ++j) points.col(j) = rng.normal_vector(3);
    const auto best =
        maximize(points, ball(Vector::Zero(3), 0.5), rng.normal_vector(3), MaximizeMethod::direct, 1e-4);
    if (const auto bracket = best->maximum()) {
      EXPECT_LE(bracket->value, bracket->upper_bound) << seed;
    }
  }
}

TEST(Maximize, MethodsHaveNames) {
  EXPECT_EQ(maximize_method_names().of(MaximizeMethod::direct), "direct");
  EXPECT_EQ(maximize_method_names().parse("bisection"), MaximizeMethod::bisection);
}

// In the plane the optimum lies on a hull edge that crosses a bound, or at a vertex inside: enumerate all of
// them. Says what is wrong with what either method finds for the random points of a seed; nothing is "".
std::string disagreement_with_enumeration(std::uint32_t seed) {
  Rng rng(seed);
  const int count = 3 + static_cast<int>(rng.below(12));
  Matrix points(2, count);
  for (int j = 0; j < count; ++j) points.col(j) = rng.normal_vector(2);
  const double limit = points.row(1).minCoeff() + 1e-3 + rng.uniform() * points.row(1).maxCoeff();
  double expected = -kInfinity;
  for (int i = 0; i < count; ++i) {
    if (points(1, i) <= limit) expected = std::max(expected, points(0, i));
    for (int j = 0; j < count; ++j) {
      if (points(1, i) < limit && points(1, j) > limit) {
        const double part = (limit - points(1, i)) / (points(1, j) - points(1, i));
        expected = std::max(expected, (1 - part) * points(0, i) + part * points(0, j));
      }
    }
  }
  if (expected == -kInfinity) return "";
  const SetPtr target = halfspace(Vector{{0, 1}}, limit);
  const auto best = maximize(points, target, kFirst);
  if (best->status() != Status::optimal) return "direct ends " + to_string(best->status());
  // The target is met to 1e-9, which a flat edge turns into more of the other measurement.
  if (std::abs(best->maximum()->value - expected) > 1e-5)
    return fmt::format("direct finds {}", best->maximum()->value);
  if (best->maximum()->upper_bound < expected - 1e-9)
    return fmt::format("direct bounds by {}", best->maximum()->upper_bound);
  const auto bisected = maximize(points, target, kFirst, MaximizeMethod::bisection, 1e-7);
  if (bisected->status() != Status::optimal) return "bisection ends " + to_string(bisected->status());
  if (std::abs(bisected->maximum()->value - expected) > 1e-5)
    return fmt::format("bisection finds {}", bisected->maximum()->value);
  return "";
}

TEST(Maximize, AgreesWithEnumerationInThePlane) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) { RC_ASSERT(disagreement_with_enumeration(seed) == ""); }));
}

// Optimal edges along which the maximised measurement hardly changes: a level a little above the optimum is
// nearest where the distance, near rounding, no longer tells which way is down.
TEST(Maximize, AgreesWithEnumerationOnSteepEdges) {
  for (const std::uint32_t seed : {823U, 3508U, 34501U, 59616U, 1027610U, 7149398U, 9687028U, 107770603U,
                                   310381975U, 541539758U, 3895176731U}) {
    EXPECT_EQ(disagreement_with_enumeration(seed), "") << seed;
  }
}

// There, and where three answers are nearly on a line, a tangent near the optimum has no direction that could
// be trusted: the multipliers must not come from it alone.
TEST(Maximize, AgreesWithEnumerationWhereTangentsAreLostToRounding) {
  for (const std::uint32_t seed : {48098U, 191306U, 2093400553U}) {
    EXPECT_EQ(disagreement_with_enumeration(seed), "") << seed;
  }
}

// Optimal edges nearly along the bound: what the tolerance lets a mixture be outside by is worth a lot.
TEST(Maximize, AgreesWithEnumerationOnFlatEdges) {
  for (const std::uint32_t seed : {22890U, 70822U}) {
    EXPECT_EQ(disagreement_with_enumeration(seed), "") << seed;
  }
}

}  // namespace
}  // namespace c2rl
