#include "c2rl/solve/maximize.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"

namespace c2rl {
namespace {

std::unique_ptr<Maximizer> maximize(const Matrix& points, SetPtr target, int coordinate,
                                    MaximizeMethod method = MaximizeMethod::direct, double tolerance = 1e-9) {
  auto maximizer =
      make_maximizer(method, "corrective-mnp", std::move(target), coordinate, {.tolerance = tolerance});
  PointOracle oracle(points);
  oracle.run(*maximizer);
  return maximizer;
}

TEST(Maximize, ConcaveDeepSeaTreasureIn8Steps) {
  const Matrix points{{1, 2, 3, 5, 8, 16, 24, 50, 74, 124}, {1, 3, 5, 7, 8, 9, 13, 14, 17, 19}};
  const SetPtr target = box(Vector{{-kInfinity, 0}}, Vector{{kInfinity, 8.2}});
  const auto best = maximize(points, target, 0);
  // On the edge from (1, 1) to (124, 19), 7.2 of 18 steps along.
  EXPECT_EQ(best->status(), Status::converged);
  EXPECT_NEAR(best->value(), 1 + 123 * 0.4, 1e-9);
  EXPECT_NEAR(best->upper_bound(), best->value(), 1e-7);
  EXPECT_LE(best->distance(), 1e-9);
  EXPECT_EQ(best->mixture().size(), 2);

  const auto bisected = maximize(points, target, 0, MaximizeMethod::bisection);
  EXPECT_EQ(bisected->status(), Status::converged);
  EXPECT_NEAR(bisected->value(), 1 + 123 * 0.4, 1e-8);
  EXPECT_GE(bisected->upper_bound(), best->value() - 1e-8);
  EXPECT_LT(best->calls(), bisected->calls());
}

TEST(Maximize, UnconstrainedOptimumInsideTheTarget) {
  const Matrix points{{0, 3, 1}, {0, 1, 5}};
  const auto best = maximize(points, box(Vector{{-10, -10}}, Vector{{10, 10}}), 0);
  EXPECT_EQ(best->status(), Status::converged);
  EXPECT_NEAR(best->value(), 3, 1e-12);
}

TEST(Maximize, NothingInsideIsInfeasible) {
  const Matrix points{{8, 10, 12}, {4, 1, 0}};
  EXPECT_EQ(maximize(points, box(Vector{{-9, -9}}, Vector{{9, 0.5}}), 0)->status(), Status::infeasible);
}

// In the plane the optimum lies on a hull edge that crosses a bound, or at a vertex inside: enumerate all of
// them.
TEST(Maximize, AgreesWithEnumerationInThePlane) {
  const bool holds = rc::check([](std::uint32_t seed) {
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
    if (expected == -kInfinity) return;
    const auto best = maximize(points, halfspace(Vector{{0, 1}}, limit), 0);
    RC_ASSERT(best->status() == Status::converged);
    // The target is met to 1e-9, which a flat edge turns into more of the other measurement.
    RC_ASSERT(std::abs(best->value() - expected) <= 1e-5);
    RC_ASSERT(best->upper_bound() >= expected - 1e-9);
    const auto bisected =
        maximize(points, halfspace(Vector{{0, 1}}, limit), 0, MaximizeMethod::bisection, 1e-7);
    RC_ASSERT(bisected->status() == Status::converged);
    RC_ASSERT(std::abs(bisected->value() - expected) <= 1e-5);
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace c2rl
