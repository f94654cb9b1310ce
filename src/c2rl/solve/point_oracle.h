#pragma once

#include <vector>

#include "c2rl/solve/solver.h"

namespace c2rl {

/// The exact oracle over an explicit list of points: measured policies, or a test's polytope.
class PointOracle {
 public:
  /// One column a point. Sizes that do not fit are a std::logic_error, here and below.
  explicit PointOracle(Matrix points);

  /// How many of them an estimate's value along a direction is taken to be good to.
  static constexpr double kStandardErrors = 2;

  /// The point with the smallest direction.point; of equal ones, the first.
  Answer minimize(const Vector& direction);

  /// The column that answered call `id` (from 1): how solvers name their atoms.
  int column(int id) const { return answered_.at(static_cast<std::size_t>(id) - 1); }

  /// Asks and tells until the solver ends.
  void run(Solver& solver);

  const Matrix& points() const { return points_; }

 private:
  Matrix points_;
  std::vector<int> answered_;
};

}  // namespace c2rl
