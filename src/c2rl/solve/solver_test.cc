#include "c2rl/solve/solver.h"

#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/solve/outcome_testing.h"

namespace c2rl {
namespace {

TEST(Solvers, OptionsAndAnswersAreChecked) {
  const auto message = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([] { make_solver("corective-mnp", navigation_target(), {}); }),
            "solver: unknown solver 'corective-mnp'; did you mean 'corrective-mnp'?");
  EXPECT_EQ(message([] { make_solver("cg", navigation_target(), {.tolerance = 0}); }),
            "tolerance: found 0, expected a number above 0");
  EXPECT_EQ(message([] { make_solver("cg", navigation_target(), {.max_oracle_calls = 0}); }),
            "max_oracle_calls: found 0, expected a whole number from 1 to 1000000000");
  EXPECT_EQ(message([] { make_solver("cg", navigation_target(), {.first_direction = Vector{{1}}}); }),
            "first_direction: found 1 numbers, expected 2, one per measurement");
  const auto solver = make_solver("cg", navigation_target(), {});
  EXPECT_EQ(message([&] {
              solver->tell({Vector{{1, 2, 3}}});
            }),
            "the oracle answered with 3 measurements, expected 2");
  EXPECT_EQ(message([&] {
              solver->tell({Vector{{1, kInfinity}}});
            }),
            "the oracle answered with a measurement that is not a finite number");
  for (const double slack : {-1.0, std::nan("")}) {
    EXPECT_NE(message([&] {
                solver->tell({.point = Vector{{1, 2}}, .slack = slack});
              }).find("expected 0 or more"),
              std::string::npos);
  }
  EXPECT_EQ(solver->calls(), 0);
}

TEST(Solvers, DefectsOfTheCallerAreLogicErrors) {
  EXPECT_THROW(make_solver("cg", nullptr, {}), std::logic_error);
  const auto solver = make_solver("cg", navigation_target(), {});
  solver->tell({Vector{{1, 0}}});  // inside
  ASSERT_EQ(solver->status(), Status::feasible);
  EXPECT_FALSE(solver->ask());
  EXPECT_THROW(solver->tell({Vector{{1, 0}}}), std::logic_error);
  EXPECT_FALSE(solver->maximum());
}

// The size of a measurement that no constraint names is nothing to the others: not to what counts as inside, nor
// to which answers are the same, nor to how well a mixture of them is found.
TEST(Solvers, AnUnrelatedMeasurementExcusesNothing) {
  const double inf = kInfinity;
  for (const SolverKind* kind : solver_kinds().all()) {
    if (kind->needs_one_point) continue;
    const Outcome outside = solve(kind->name, Matrix{{0.51, 0.6}, {1e12, 2e12}},
                                  box(Vector{{-inf, -inf}}, Vector{{0.5, inf}}), {.max_oracle_calls = 50});
    EXPECT_NE(outside.status, Status::feasible) << kind->name;
    EXPECT_NEAR(outside.distance, 0.01, 1e-9 + (kind->keeps == Keeps::few ? 0 : 0.1)) << kind->name;
  }
  const Outcome between = solve("corrective-mnp", Matrix{{0.2, 0.7}, {1e12, 1e12}},
                                box(Vector{{0.4, -inf}}, Vector{{0.4, inf}}), {.tolerance = 1e-12});
  EXPECT_EQ(between.status, Status::feasible);
  expect_near(between.weights, Vector{{0.6, 0.4}}, 1e-12);
}

TEST(Solvers, NumbersThatWouldOverflowAreRefused) {
  const auto solver = make_solver("corrective-mnp", point(Vector{{0}}), {});
  EXPECT_THROW(solver->tell({Vector{{1e155}}}), InputError);
  EXPECT_THROW(box(Vector{{1e155}}, Vector{{kInfinity}}), InputError);
}

TEST(PointOracle, SizesAreChecked) {
  EXPECT_THROW(PointOracle{Matrix()}, std::logic_error);
  PointOracle oracle(Matrix::Zero(2, 3));
  EXPECT_THROW(oracle.minimize(Vector{{1}}), std::logic_error);
  EXPECT_THROW(oracle.column(1), std::logic_error);
}

TEST(Solvers, FirstDirectionGoesAgainstTheBounds) {
  // treasure has only a lower bound, steps an upper one.
  const Vector expected = Vector{{-1, 1}} / std::sqrt(2.0);
  expect_near(*make_solver("cg", treasure_at_least(50, 8), {})->ask(), expected, 1e-15);
}

TEST(Solvers, BudgetEndsTheSolve) {
  const Matrix points{{8, 10, 12}, {4, 1, 0}};
  const Outcome outcome =
      solve("cg", points, navigation_target(), {.tolerance = 1e-10, .max_oracle_calls = 20});
  EXPECT_EQ(outcome.status, Status::budget);
  EXPECT_EQ(outcome.calls, 20);
}

// An oracle that keeps giving the same worse answer changes nothing: the solve says so instead of going on.
TEST(Solvers, AnOracleThatCannotImproveEndsTheSolve) {
  const auto solver =
      make_solver("corrective-mnp", point(Vector{{0, 0}}), {.first_direction = Vector{{1, 0}}});
  solver->tell({Vector{{1, 0}}});
  solver->tell({Vector{{0, 1}}});
  ASSERT_EQ(solver->status(), Status::running);
  solver->tell({Vector{{0.9, 0.05}}});
  for (int i = 0; i < 5 && solver->ask(); ++i) solver->tell({Vector{{0.9, 0.05}}});
  EXPECT_NE(solver->status(), Status::running);
}

// 1/2 5^2 is 8 above 1/2 3^2.
TEST(Certificates, ErrorAboveABound) {
  EXPECT_EQ(error_above(5, 3), 8);
}

// Answers that are estimates: the bound gives way by their slack, and is called evidence.
TEST(Certificates, NoiseMakesEvidence) {
  const Matrix points{{8, 10, 12}, {4, 1, 0}};
  const SetPtr target = box(Vector{{-kInfinity, -kInfinity}}, Vector{{9, 0.5}});
  const auto run = [&](double error) {
    auto solver = make_solver("corrective-mnp", target, {.tolerance = 1e-9});
    PointOracle oracle(points);
    while (const auto direction = solver->ask()) {
      Answer answer = oracle.minimize(*direction);
      answer.slack = 2 * error;
      answer.grade = Grade::evidence;
      solver->tell(answer);
    }
    return solver;
  };
  const auto sure = run(0.1);
  EXPECT_EQ(sure->status(), Status::stuck);
  EXPECT_EQ(sure->certificate().grade, Grade::evidence);
  EXPECT_NEAR(sure->certificate().bound, 4 / std::sqrt(13.0) - 0.2, 1e-9);
  EXPECT_NEAR(sure->certificate().slack, 0.2, 1e-12);
  EXPECT_EQ(run(1.0)->status(), Status::stuck);
}

// An estimating oracle that first misses the better policy: what it finds later takes the false bound back.
TEST(Certificates, EvidenceIsWithdrawnWhenRefuted) {
  const auto solver =
      make_solver("corrective-mnp", point(Vector{{0, 0}}), {.first_direction = Vector{{1, 0}}});
  const auto tell = [&](double x, double y) {
    solver->tell({.point = Vector{{x, y}}, .grade = Grade::evidence});
  };
  tell(4, 0);
  tell(3.9, 1);
  EXPECT_NEAR(solver->certificate().bound, 3.9, 1e-9);  // along (1, 0), the oracle found nothing below 3.9
  tell(1, 0.5);
  EXPECT_LE(solver->certificate().bound, solver->distance());
  EXPECT_LE(solver->certificate().achievable_at,
            solver->certificate().direction.dot(Vector{{1, 0.5}}) + 1e-9);
}

}  // namespace
}  // namespace c2rl
