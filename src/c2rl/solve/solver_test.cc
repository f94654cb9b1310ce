#include "c2rl/solve/solver.h"

#include <gtest/gtest.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"

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
              SolverOptions options = {.tolerance = 1e-10}) {
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
  // The segment (10,1)-(12,0) is 2 from the corner (9, 0.5) along its normal (1, 2)/sqrt 5: (1*1 +
  // 2*0.5)/sqrt 5.
  const double expected = 4 / std::sqrt(13.0);
  EXPECT_NEAR(outcome.distance, expected, 1e-12);
  EXPECT_NEAR(outcome.certificate.bound, outcome.distance, 1e-9);
  expect_near(outcome.certificate.direction, Vector{{3, 2}} / std::sqrt(13.0), 1e-9);
}

}  // namespace
}  // namespace c2rl
