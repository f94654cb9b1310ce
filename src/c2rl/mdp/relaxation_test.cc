#include "c2rl/mdp/relaxation.h"

#include <gtest/gtest.h>

#include "c2rl/base/random.h"
#include "c2rl/mdp/incomplete_factors.h"
#include "c2rl/mdp/visits.h"

namespace c2rl {
namespace {

/// A walk to and fro on a line that lasts with probability `kept` per step.
SparseRows line(int size, double kept) {
  SparseRows rows;
  for (int i = 0; i < size; ++i) {
    for (const int j : {i - 1, i + 1}) {
      if (j < 0 || j >= size) continue;
      rows.column.push_back(j);
      rows.value.push_back(kept / 2);
    }
    rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
  }
  return rows;
}

/// Three random successors each.
SparseRows random_rows(int size, double kept, Rng rng) {
  SparseRows rows;
  for (int i = 0; i < size; ++i) {
    for (int e = 0; e < 3; ++e) {
      rows.column.push_back(static_cast<std::int32_t>(rng.below(size)));
      rows.value.push_back(kept / 3);
    }
    rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
  }
  return rows;
}

TEST(IncompleteFactors, AreExactOnALine) {
  const SparseRows rows = line(50, 0.999);
  const Vector right = Rng(1).normal_vector(50);
  const Vector x = IncompleteFactors(rows).solve(right);
  EXPECT_LE(residual_bound(rows, right, x).maxCoeff(), 1e-12 * x.lpNorm<Eigen::Infinity>());
}

// Sweeps alone would need some 1e9 on the line: errors travel through it at random, one place a sweep.
TEST(Relaxation, EndsWhereSweepsAreSlow) {
  for (const int size : {500, 30'000}) {
    const SparseRows rows = line(size, 1 - 1e-7);
    const Vector b = Vector::Ones(size);
    Matrix x = Matrix::Zero(1, size);
    EXPECT_LE(Relaxation(rows).approach(b.transpose(), x, 0, {}), 1000);
    EXPECT_LE(residual_bound(rows, b, x.row(0)).maxCoeff(), 100 * kEpsilon * x.maxCoeff());
  }
}

TEST(Relaxation, SolvesWhatLeadsToItself) {
  // x0 = 1 + x0 / 2 + x1 / 4, x1 = 2 + x0 / 4 + x1 / 2: x0 = 16 / 3, x1 = 20 / 3.
  const SparseRows rows{{0, 2, 4}, {0, 1, 0, 1}, {0.5, 0.25, 0.25, 0.5}};
  Matrix x = Matrix::Zero(1, 2);
  Relaxation(rows).approach(Matrix{{1, 2}}, x, 0, {});
  EXPECT_LE((x - Matrix{{16.0 / 3, 20.0 / 3}}).norm(), 1e-13);
}

// Where everything costs the same, x is off by the same everywhere, and one shift is all that it needs.
TEST(Relaxation, SolvesWhatIsTheSameEverywhere) {
  for (const int systems : {1, 2, 5}) {
    const SparseRows rows = random_rows(300, 0.99, Rng(7));
    Matrix x = Matrix::Zero(systems, 300);
    Relaxation(rows).approach(Matrix::Ones(systems, 300), x, 0, {});
    EXPECT_LE((x.array() - 100).abs().maxCoeff(), 1e-11);
  }
}

// Numbers that overflow end it, and whoever looks sees that the equations do not hold.
TEST(Relaxation, EndsWhereNumbersOverflow) {
  const SparseRows rows = random_rows(300, 0.99, Rng(8));
  Matrix x = Matrix::Zero(1, 300);
  const Vector b = Vector::Constant(300, 1e308);
  Relaxation(rows).approach(b.transpose(), x, 0, {});
  EXPECT_GE(residual_bound(rows, b, x.row(0)).maxCoeff(), 1e307);
}

// Where sweeps are fast, where they are slow and few unknowns are left to factors, and where many are to Krylov's method.
TEST(Relaxation, SolvesAnyNumberOfSystemsAtOnce) {
  for (const SparseRows& rows : {random_rows(200, 0.99, Rng(1)), line(100, 1 - 1e-7), line(3000, 1 - 1e-7)}) {
    for (int systems = 1; systems <= 6; ++systems) {
      const Matrix b = Rng(systems).normal_vector(systems * rows.size()).reshaped(systems, rows.size());
      Matrix x = Matrix::Zero(systems, rows.size());
      Relaxation(rows).approach(b, x, 0, {});
      for (int j = 0; j < systems; ++j) {
        EXPECT_LE(residual_bound(rows, b.row(j), x.row(j)).maxCoeff(),
                  1000 * kEpsilon * x.row(j).lpNorm<Eigen::Infinity>());
      }
    }
  }
}

TEST(Visits, AreTheTransposedFixedPoint) {
  for (const double kept : {0.9, 0.99999}) {
    for (const int size : {30, 3000}) {
      const SparseRows rows = random_rows(size, kept, Rng(size));
      Vector b = Vector::Zero(size);
      b[0] = 1;
      const Vector visits = solve_visits(rows, b);
      const Vector expected = solve_fixed_point(rows.transposed(), b);
      EXPECT_NEAR(visits.sum(), 1 / (1 - kept), 1e-11 / (1 - kept) / (1 - kept) * 1e-2 + 1e-10);
      EXPECT_LE((visits - expected).lpNorm<1>(), 1e-13 / (1 - kept) / (1 - kept));
      EXPECT_LE(visits_residual_bound(rows, b, visits), 100 * kEpsilon * visits.sum());
    }
  }
}

TEST(Visits, GoSlowlyAlongALine) {
  constexpr int kSize = 3000;
  const SparseRows rows = line(kSize, 1 - 1e-7);
  const Vector b = Vector::Unit(kSize, 10);
  const Vector visits = solve_visits(rows, b);
  EXPECT_LE(visits_residual_bound(rows, b, visits), 1000 * kEpsilon * visits.sum());
  EXPECT_GE(visits.minCoeff(), 0);
}

}  // namespace
}  // namespace c2rl
