#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {

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

inline Outcome solve(const std::string& kind, const Matrix& points, SetPtr target,
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

inline void expect_near(const Vector& found, const Vector& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), tolerance)
      << "found " << found.transpose() << ", expected " << expected.transpose();
}

inline SetPtr navigation_target() {
  return box(Vector{{0, 0}}, Vector{{11, 0.5}});
}

inline SetPtr treasure_at_least(double treasure, double steps) {
  return box(Vector{{treasure, -kInfinity}}, Vector{{kInfinity, steps}});
}

}  // namespace c2rl
