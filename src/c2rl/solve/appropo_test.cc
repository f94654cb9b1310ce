#include "c2rl/solve/appropo.h"

#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

/// The first policy is (8, 4), and ties along (0, c) go to (12, 0).
const Matrix kNavigation{{8, 10, 12, 500}, {4, 1, 0, 0}};
const Vector kRisky{{1, 0}};

SetPtr navigation_target() {
  return box(Vector{{0, 0}}, Vector{{11, 0.5}});
}

SolverOptions options(int calls) {
  return {.tolerance = 1e-10, .max_oracle_calls = calls, .first_direction = kRisky};
}

std::unique_ptr<Solver> run(std::unique_ptr<Solver> solver) {
  PointOracle oracle(kNavigation);
  oracle.run(*solver);
  return solver;
}

std::unique_ptr<Solver> solve(const SetPtr& target, int calls, const AppropoOptions& own = {}) {
  return run(appropo(target, options(calls), own));
}

double error_of(const std::unique_ptr<Solver>& solver) {
  return error_above(solver->distance(), 0);
}

double error_after(int calls, const AppropoOptions& own = {}) {
  return error_of(solve(navigation_target(), calls, own));
}

void expect_within_a_factor_of_2(double found, double expected) {
  EXPECT_GE(found, expected / 2);
  EXPECT_LE(found, expected * 2);
}

TEST(Appropo, NavigationAsPublishedBesideConditionalGradient) {
  expect_within_a_factor_of_2(error_of(run(make_solver("cg", navigation_target(), options(100)))), 9.7e-4);
  expect_within_a_factor_of_2(error_of(run(make_solver("cg", navigation_target(), options(1000)))), 1.75e-5);
  expect_within_a_factor_of_2(error_after(100), 4.5e-4);
  expect_within_a_factor_of_2(error_after(1000), 4.5e-6);
  expect_within_a_factor_of_2(error_after(100, {.momentum = 0.9}), 8e-4);
  expect_within_a_factor_of_2(error_after(1000, {.momentum = 0.9}), 2.5e-6);
}

// The rounds that stored policies serve cost no oracle call: as good as 1000 calls without, in a few.
TEST(Appropo, TheCacheSavesOracleCalls) {
  const auto plain = solve(navigation_target(), 1000);
  EXPECT_EQ(plain->atoms_max(), 1000);
  const double without = plain->distance();
  for (const double momentum : {0.0, 0.9}) {
    const AppropoOptions own{.momentum = momentum, .cache = true, .max_cache_rounds = 1000};
    const auto solver = solve(navigation_target(), 30, own);
    EXPECT_EQ(solver->calls(), 30);
    EXPECT_LE(solver->distance(), without);
    EXPECT_EQ(solver->atoms_max(), 30);  // a policy per oracle call, and every one has weight
    EXPECT_GT(solver->mixture().weights.minCoeff(), 0);
  }
}

// Between two calls a mixture of stored policies may be refined so many times at most.
TEST(Appropo, CacheRoundsAreBounded) {
  for (const int rounds : {1, 10}) {
    const auto solver = appropo(navigation_target(), {.first_direction = kRisky},
                                {.cache = true, .max_cache_rounds = rounds});
    PointOracle oracle(kNavigation);
    for (int call = 0; call < 20; ++call) solver->tell(oracle.minimize(*solver->ask()));
    // (8, 4) is played in the first round only.
    EXPECT_GE(solver->mixture().weights[0], 1.0 / (20 * (rounds + 1)) - 1e-12);
    EXPECT_LT(solver->mixture().weights[0], 1.0 / 20);
  }
}

// The point (9, 0.5) is 4 / sqrt(13) away from the segment from (8, 4) to (10, 1): theta proves nearly that.
TEST(Appropo, InfeasibleTargetIsCertified) {
  const double best = 4 / std::sqrt(13.0);
  const auto solver = solve(box(Vector{{0, 0}}, Vector{{9, 0.5}}), 500);
  EXPECT_EQ(solver->status(), Status::infeasible);
  EXPECT_LE(solver->certificate().bound, best + 1e-12);
  EXPECT_GE(solver->certificate().bound, 0.95 * best);
  EXPECT_EQ(solver->certificate().grade, Grade::proof);
  EXPECT_GE(solver->distance(), best - 1e-12);
}

TEST(Appropo, OneFeasibleAnswerEndsIt) {
  const auto solver = solve(box(Vector{{0, 0}}, Vector{{9, 5}}), 500);
  EXPECT_EQ(solver->status(), Status::feasible);
  EXPECT_EQ(solver->calls(), 1);
}

TEST(Appropo, OptionsAreChecked) {
  const auto make = [](const AppropoOptions& own) { appropo(navigation_target(), {}, own); };
  EXPECT_THROW(make({.kappa = 0}), InputError);
  EXPECT_THROW(make({.momentum = 1}), InputError);
  EXPECT_THROW(make({.cache = true, .max_cache_rounds = 0}), InputError);
}

}  // namespace
}  // namespace c2rl
