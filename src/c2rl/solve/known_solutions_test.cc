// Problems whose solution is known.

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "c2rl/base/random.h"
#include "c2rl/solve/outcome_testing.h"

namespace c2rl {
namespace {

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

}  // namespace
}  // namespace c2rl
