#include "c2rl/solve/rcpo.h"

#include <gtest/gtest.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"

namespace c2rl {
namespace {

/// What rcpo asks after a first answer.
Vector asked_after(const Vector& answer, double step) {
  const auto solver = rcpo(box(Vector{{-kInfinity, -kInfinity}}, Vector{{1, 2}}),
                           {.tolerance = 1e-6, .max_oracle_calls = 9}, {.step = step});
  solver->ask();
  solver->tell({.point = answer});
  return *solver->ask();
}

TEST(Rcpo, MultipliersFollowTheViolation) {
  // 0.5 and 0.25 beyond the bounds: penalties in that proportion, whatever the step.
  for (const double step : {0.1, 2.0})
    EXPECT_LT((asked_after(Vector{{1.5, 2.25}}, step) - Vector{{2, 1}}.normalized()).norm(), 1e-12);
  // What holds has no penalty, and what is far off counts as 1.
  EXPECT_LT((asked_after(Vector{{-5, 2.1}}, 1) - Vector{{0, 1}}).norm(), 1e-12);
  EXPECT_LT((asked_after(Vector{{1.5, 900}}, 1) - Vector{{1, 2}}.normalized()).norm(), 1e-12);
}

TEST(Rcpo, KeepsOnePolicyAndProvesNothing) {
  // Only a mixture of (0, 4) and (2, 0) is inside: a single policy never gets there.
  Matrix points(2, 2);
  points << 0, 2, 4, 0;
  const auto solver = rcpo(box(Vector{{-kInfinity, -kInfinity}}, Vector{{1, 2}}), {.max_oracle_calls = 50});
  PointOracle oracle(points);
  oracle.run(*solver);
  EXPECT_EQ(solver->status(), Status::budget);
  EXPECT_EQ(solver->mixture().size(), 1);
  EXPECT_EQ(solver->atoms_max(), 1);
  EXPECT_EQ(solver->certificate().bound, 0);
  EXPECT_GE(solver->distance(), 1);
}

TEST(Rcpo, NeedsFlatFacesAndAPositiveStep) {
  EXPECT_THROW(rcpo(ball(Vector{{0, 0}}, 1), {}), UnsuitableTargetError);
  EXPECT_THROW(rcpo(box(Vector{{0}}, Vector{{1}}), {}, {.step = 0}), InputError);
}

}  // namespace
}  // namespace c2rl
