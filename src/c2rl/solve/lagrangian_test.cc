#include "c2rl/solve/lagrangian.h"

#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

const Matrix kNavigation{{8, 10, 12, 500}, {4, 1, 0, 0}};
const Matrix kConcaveTreasure{{1, 2, 3, 5, 8, 16, 24, 50, 74, 124}, {1, 3, 5, 7, 8, 9, 13, 14, 17, 19}};

std::unique_ptr<Solver> solve(const Matrix& points, const SetPtr& target, int calls,
                              const LagrangianOptions& own = {}) {
  auto solver = lagrangian(target, {.max_oracle_calls = calls}, own);
  PointOracle oracle(points);
  oracle.run(*solver);
  return solver;
}

std::unique_ptr<Maximizer> maximize(const Matrix& points, const SetPtr& target,
                                    const LagrangianOptions& own = {}) {
  auto maximizer = lagrangian_maximizer(target, 0, {.max_oracle_calls = 20000}, own);
  PointOracle oracle(points);
  oracle.run(*maximizer);
  return maximizer;
}

// On the edge from (1, 1) to (124, 19), 7.2 of 18 steps along: 50.2.
TEST(Lagrangian, ConcaveDeepSeaTreasureWithinTheGap) {
  const SetPtr target = box(Vector{{-kInfinity, -kInfinity}}, Vector{{kInfinity, 8.2}});
  for (const double gap : {1.0, 0.1, 0.01}) {
    const auto best = maximize(kConcaveTreasure, target, {.gap = gap});
    // What the gap leaves of the constraints may be more than the tolerance: then no claim that they hold.
    EXPECT_EQ(best->status(), best->distance() <= 1e-6 ? Status::optimal : Status::undecided) << gap;
    EXPECT_NEAR(best->value(), 50.2, gap);
    EXPECT_GE(best->upper_bound(), 50.2 - 1e-9);
    EXPECT_LT(best->upper_bound() - best->value(), gap);
    // The best multiplier is 123 / 18, so each step over the limit costs 30 - 123 / 18 of the gap.
    EXPECT_LE(best->distance(), gap / (30 - 123.0 / 18));
    ASSERT_TRUE(best->maximum());
    EXPECT_EQ(best->maximum()->value, best->value());
    EXPECT_EQ(best->maximum()->upper_bound, best->upper_bound());
    EXPECT_EQ(best->maximum()->grade, Grade::proof);
  }
}

// A step is worth 123 / 18 of treasure: with multipliers up to 5 it pays to break the limit. And no policy
// takes 0.2 steps, whatever the multipliers. Neither is called a success.
TEST(Lagrangian, AnAnswerOutsideTheTargetIsNoMaximum) {
  const auto at_most = [](double steps) {
    return box(Vector{{-kInfinity, -kInfinity}}, Vector{{kInfinity, steps}});
  };
  const auto cheap = maximize(kConcaveTreasure, at_most(8.2), {.multiplier_bound = 5});
  EXPECT_EQ(cheap->status(), Status::oracle_failed);
  EXPECT_GT(cheap->distance(), 1);
  EXPECT_EQ(cheap->value(), -kInfinity);
  EXPECT_FALSE(cheap->maximum());
  EXPECT_GE(cheap->upper_bound(), 50.2);
  const auto impossible = maximize(kConcaveTreasure, at_most(0.2));
  EXPECT_EQ(impossible->status(), Status::oracle_failed);
  EXPECT_EQ(impossible->value(), -kInfinity);
}

TEST(Lagrangian, NavigationComesNear) {
  const SetPtr target = box(Vector{{0, 0}}, Vector{{11, 0.5}});
  const double distance = solve(kNavigation, target, 1000)->distance();
  EXPECT_LE(0.5 * distance * distance, 1e-4);
  // Without an objective the gap is B times the worst violation.
  const auto closed = solve(kNavigation, target, 1000, {.gap = 1});
  EXPECT_EQ(closed->status(), Status::undecided);
  EXPECT_LE((closed->mixture().point - Vector{{11, 0.5}}).maxCoeff(), 1.0 / 30);
}

TEST(Lagrangian, RoomInTheTargetIsFeasible) {
  const auto solver = solve(kNavigation, box(Vector{{0, 0}}, Vector{{11.5, 1}}), 1000);
  EXPECT_EQ(solver->status(), Status::feasible);
  EXPECT_LE(solver->distance(), 1e-6);
}

// (9, 0.5) is 4 / sqrt(13) away from the segment from (8, 4) to (10, 1).
TEST(Lagrangian, InfeasibleTargetIsCertified) {
  const double best = 4 / std::sqrt(13.0);
  const auto solver = solve(kNavigation, box(Vector{{0, 0}}, Vector{{9, 0.5}}), 3000);
  EXPECT_EQ(solver->status(), Status::infeasible);
  EXPECT_GT(solver->certificate().bound, 0.9 * best);
  EXPECT_LE(solver->certificate().bound, best + 1e-12);
  EXPECT_LE((solver->certificate().target_point - Vector{{9, 0.5}}).norm(), 1e-12);
}

// Its own method goes before the one that is asked for.
TEST(Lagrangian, MaximizesByItself) {
  const SetPtr target = box(Vector{{-kInfinity, -kInfinity}}, Vector{{kInfinity, 8.2}});
  const SolverMaker maker = solver_kinds().find("lagrangian").configure(nullptr);
  const auto best = make_maximizer(MaximizeMethod::bisection, maker, target, 0, {.max_oracle_calls = 20000});
  PointOracle oracle(kConcaveTreasure);
  oracle.run(*best);
  EXPECT_EQ(best->calls(), maximize(kConcaveTreasure, target)->calls());
  ASSERT_TRUE(best->maximum());
  EXPECT_NEAR(best->maximum()->value, 50.2, LagrangianOptions().gap);
}

TEST(Lagrangian, CurvedTargetsAndBadOptionsAreRefused) {
  EXPECT_THROW(lagrangian(ball(Vector{{0, 0}}, 1), {}), UnsuitableTargetError);
  EXPECT_THROW(lagrangian_maximizer(ball(Vector{{0, 0}}, 1), 0, {}), UnsuitableTargetError);
  const auto make = [](const LagrangianOptions& own) { lagrangian(box(Vector{{0}}, Vector{{1}}), {}, own); };
  EXPECT_THROW(make({.multiplier_bound = 0}), InputError);
  EXPECT_THROW(make({.eta = -1}), InputError);
  EXPECT_THROW(make({.gap = 0}), InputError);
}

}  // namespace
}  // namespace c2rl
