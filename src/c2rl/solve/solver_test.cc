#include "c2rl/solve/solver.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

/// A finished solve over a list of points: weight per column, and how it ended.
struct Outcome {
  Vector weights;
  Vector point;
  Status status;
  int calls;
  int atoms_max;
  double distance;
  Certificate certificate;
};

Outcome solve(const std::string& kind, const Matrix& points, SetPtr target,
              const SolverOptions& options = {.tolerance = 1e-10}) {
  const auto solver = make_solver(kind, std::move(target), options);
  PointOracle oracle(points);
  oracle.run(*solver);
  Outcome outcome{Vector::Zero(points.cols()), solver->mixture().point, solver->status(),     solver->calls(),
                  solver->atoms_max(),         solver->distance(),      solver->certificate()};
  for (int i = 0; i < solver->mixture().size(); ++i) {
    outcome.weights[oracle.column(solver->mixture().ids[i])] += solver->mixture().weights[i];
  }
  return outcome;
}

void expect_near(const Vector& found, const Vector& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), tolerance)
      << "found " << found.transpose() << ", expected " << expected.transpose();
}

SetPtr navigation_target() {
  return box(Vector{{0, 0}}, Vector{{11, 0.5}});
}

TEST(CorrectiveMnp, Navigation) {
  const Matrix points{{8, 10, 12, 500}, {4, 1, 0, 0}};
  const Outcome outcome = solve("corrective-mnp", points, navigation_target());
  EXPECT_EQ(outcome.status, Status::feasible);
  expect_near(outcome.weights, Vector{{0, 0.5, 0.5, 0}}, 1e-12);
  EXPECT_LT(outcome.distance, 1e-9);
  EXPECT_LE(outcome.calls, 5);
}

// On the way from x = (0, d) towards (0.9, -d) the least distance is at 6e-13 of it, below any weight that
// counts; moving weight from one end of the segment to the other at the same time, the target is reached.
TEST(CorrectiveMnp, KeepsAnAtomThatTheLineTowardsItHardlyWants) {
  constexpr double d = 5e-7;
  const Matrix points{{1, -1, 0.9}, {d, d, -d}};
  const Outcome outcome = solve("corrective-mnp", points, point(Vector::Zero(2)), {.tolerance = 1e-8});
  EXPECT_EQ(outcome.status, Status::feasible);
  expect_near(outcome.weights, Vector{{0.025, 0.475, 0.5}}, 1e-6);
  EXPECT_EQ(outcome.calls, 3);
}

// The edge from (1, -1) to (1 + rise, 1) is nearest to the corner a little outside the bound on the second
// measurement: by rise / 2 of the distance, which is itself too small for its square to tell the difference.
TEST(CorrectiveMnp, FindsTheDirectionOfADistanceNearRounding) {
  for (const double rise : {1e-3, 1e-4, 1e-5, 1e-6}) {
    for (const double bound : {0.1, 0.3, 0.7}) {
      for (const double outside : {1e-7, 3e-7, 1e-6}) {
        const Matrix points{{1, 1 + rise}, {-1, 1}};
        const double edge_at_bound = 1 + rise * (bound + 1) / 2;
        const SetPtr corner = box(Vector{{edge_at_bound + outside, -kInfinity}}, Vector{{kInfinity, bound}});
        const Outcome outcome = solve("corrective-mnp", points, corner, {.tolerance = 2e-8});
        EXPECT_EQ(outcome.status, Status::infeasible) << rise << " " << bound << " " << outside;
        EXPECT_GE(outcome.certificate.bound, 0.95 * outcome.distance);
        EXPECT_LE(outcome.calls, 3);
      }
    }
  }
}

// Ties at direction (0, c) go to the never-arriving (500, 0): the paper's "stuck for about 100 steps".
TEST(ModifiedMnp, StallsOnNavigationWhereCorrectiveDoesNot) {
  const Matrix points{{500, 8, 10, 12}, {0, 4, 1, 0}};
  SolverOptions options{.tolerance = std::sqrt(2e-10), .first_direction = Vector{{1, 0}}};
  const Outcome literal = solve("modified-mnp", points, navigation_target(), options);
  EXPECT_EQ(literal.status, Status::feasible);
  EXPECT_NEAR(literal.calls, 109, 3);
  EXPECT_LE(literal.atoms_max, 3);
  EXPECT_LE(solve("corrective-mnp", points, navigation_target(), options).calls, 6);
}

// Theorem 4.4: unit vectors and the origin, target 1/(2m) each; all m + 1 points are needed.
TEST(CorrectiveMnp, WorstCaseNeedsAllPolicies) {
  for (const int m : {2, 8, 64}) {
    Matrix points(m, m + 1);
    points << Matrix::Identity(m, m), Vector::Zero(m);
    Vector expected = Vector::Constant(m + 1, 0.5 / m);
    expected[m] = 0.5;
    for (const char* kind : {"corrective-mnp", "modified-mnp", "wolfe-mnp"}) {
      const Outcome outcome = solve(kind, points, point(Vector::Constant(m, 0.5 / m)));
      EXPECT_EQ(outcome.status, Status::feasible) << kind;
      EXPECT_EQ((outcome.weights.array() > 0).count(), m + 1) << kind;
      expect_near(outcome.weights, expected, 1e-9);
    }
  }
}

TEST(CorrectiveMnp, InfeasibleNavigationIsCertified) {
  const Matrix points{{8, 10, 12}, {4, 1, 0}};
  const Outcome outcome =
      solve("corrective-mnp", points, box(Vector{{-kInfinity, -kInfinity}}, Vector{{9, 0.5}}));
  EXPECT_EQ(outcome.status, Status::infeasible);
  // The mixture nearest to the corner (9, 0.5) lies on the segment (8, 4)-(10, 1), whose normal is
  // (3, 2)/sqrt 13: (3*1 + 2*0.5)/sqrt 13.
  const double expected = 4 / std::sqrt(13.0);
  EXPECT_NEAR(outcome.distance, expected, 1e-12);
  EXPECT_NEAR(outcome.certificate.bound, outcome.distance, 1e-9);
  expect_near(outcome.certificate.direction, Vector{{3, 2}} / std::sqrt(13.0), 1e-9);
}

// Deep sea treasure as (treasure, steps).
const Matrix kConvexMap{{0.7, 8.2, 11.5, 14, 15.1, 16.1, 19.6, 20.3, 22.4, 23.7},
                        {1, 3, 5, 7, 8, 9, 13, 14, 17, 19}};
const Matrix kConcaveMap{{1, 2, 3, 5, 8, 16, 24, 50, 74, 124}, {1, 3, 5, 7, 8, 9, 13, 14, 17, 19}};

SetPtr treasure_at_least(double treasure, double steps) {
  return box(Vector{{treasure, -kInfinity}}, Vector{{kInfinity, steps}});
}

// (20.3, 14) is a policy by itself and a quarter of the way between its neighbours: the target allows nothing
// else.
TEST(DeepSeaConvex, CollinearPointIsFound) {
  for (const char* kind : {"corrective-mnp", "modified-mnp"}) {
    const Outcome outcome = solve(kind, kConvexMap, treasure_at_least(20.3, 14));
    EXPECT_EQ(outcome.status, Status::feasible) << kind;
    expect_near(outcome.point, Vector{{20.3, 14}}, 1e-9);
    // All weight is on the three collinear points.
    EXPECT_NEAR(outcome.weights.segment(6, 3).sum(), 1, 1e-9) << kind;
  }
}

TEST(DeepSeaConvex, InfeasibleTargetIsCertified) {
  // The edge through (19.6, 13) and (22.4, 17) has the normal (4, -2.8); the corner (21, 14) lies 2.8 beyond
  // it.
  const Outcome outcome = solve("corrective-mnp", kConvexMap, treasure_at_least(21, 14));
  EXPECT_EQ(outcome.status, Status::infeasible);
  EXPECT_NEAR(outcome.distance, 2.8 / std::sqrt(4 * 4 + 2.8 * 2.8), 1e-12);
  EXPECT_NEAR(outcome.certificate.bound, outcome.distance, 1e-9);
}

// Every single policy with treasure 50 takes 14 steps or more; a mixture of the hull's two vertices
// takes 8.2.
TEST(DeepSeaConcave, MixingMeetsWhatNoPolicyMeets) {
  const Outcome outcome = solve("corrective-mnp", kConcaveMap, treasure_at_least(50, 8.2));
  EXPECT_EQ(outcome.status, Status::feasible);
  EXPECT_GE(outcome.weights[9], 49.0 / 123 - 1e-9);
  EXPECT_LE(outcome.weights[9], 7.2 / 18 + 1e-9);
  EXPECT_NEAR(outcome.weights[0] + outcome.weights[9], 1, 1e-12);
}

TEST(DeepSeaConcave, InfeasibleTargetIsCertified) {
  // The edge through (1, 1) and (124, 19) has the normal (18, -123); the corner (60, 8.2) lies 176.4 beyond
  // it.
  const Outcome outcome = solve("corrective-mnp", kConcaveMap, treasure_at_least(60, 8.2));
  EXPECT_EQ(outcome.status, Status::infeasible);
  EXPECT_NEAR(outcome.distance, 176.4 / std::sqrt(18.0 * 18 + 123.0 * 123), 1e-10);
  EXPECT_NEAR(outcome.certificate.bound, outcome.distance, 1e-9);
}

TEST(RockPaperScissors, OnlyTheUniformMixIsFeasible) {
  const Matrix points = Matrix::Identity(3, 3) / 3;
  const SetPtr target = box(Vector::Constant(3, 1.0 / 9), Vector::Constant(3, kInfinity));
  for (const char* kind : {"corrective-mnp", "modified-mnp"}) {
    const Outcome outcome = solve(kind, points, target);
    EXPECT_EQ(outcome.status, Status::feasible) << kind;
    expect_near(outcome.weights, Vector::Constant(3, 1.0 / 3), 1e-9);
  }
}

/// Wolfe's method with normal equations and no updates, straight from the textbook.
Vector textbook_wolfe(const Matrix& points, const Vector& w) {
  const Matrix p = points.colwise() - w;
  std::vector<int> s = {0};
  Vector mu = Vector::Ones(1);
  for (int major = 0; major < 1000; ++major) {
    const Vector x = p(Eigen::all, s) * mu;
    Eigen::Index j = 0;
    if ((x.transpose() * p).minCoeff(&j) >= x.squaredNorm() - 1e-12) break;
    if (std::find(s.begin(), s.end(), j) != s.end()) break;
    s.push_back(static_cast<int>(j));
    mu.conservativeResize(mu.size() + 1);
    mu[mu.size() - 1] = 0;
    while (true) {
      const Matrix atoms = p(Eigen::all, s);
      const Matrix gram = (atoms.transpose() * atoms).array() + 1;  // the added 1 1' normalises
      Vector alpha = gram.fullPivLu().solve(Vector::Ones(mu.size()));
      alpha /= alpha.sum();
      if (alpha.minCoeff() > 1e-12) {
        mu = alpha;
        break;
      }
      double theta = 1;
      for (int i = 0; i < mu.size(); ++i) {
        if (alpha[i] <= 1e-12) theta = std::min(theta, mu[i] / (mu[i] - alpha[i]));
      }
      mu = theta * alpha + (1 - theta) * mu;
      std::vector<int> kept, kept_s;
      for (int i = 0; i < mu.size(); ++i) {
        if (mu[i] > 1e-12) kept.push_back(i), kept_s.push_back(s[i]);
      }
      mu = mu(kept).eval();
      s = kept_s;
    }
  }
  return points(Eigen::all, s) * mu;
}

TEST(WolfeMnp, AgreesWithTheTextbookAndWithModifiedMnpOnSingletons) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const int dim = 2 + static_cast<int>(rng.below(6));
    Matrix points(dim, 40);
    for (int j = 0; j < 40; ++j) points.col(j) = rng.normal_vector(dim);
    const Vector w = 2 * rng.normal_vector(dim);
    const Vector expected = textbook_wolfe(points, w);
    for (const char* kind : {"wolfe-mnp", "modified-mnp", "corrective-mnp"}) {
      expect_near(solve(kind, points, point(w)).point, expected, 1e-8);
    }
  }
}

TEST(WolfeMnp, RefusesOtherTargets) {
  EXPECT_THROW(make_solver("wolfe-mnp", navigation_target(), {}), InputError);
}

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
