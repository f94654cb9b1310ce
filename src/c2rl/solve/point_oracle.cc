#include "c2rl/solve/point_oracle.h"

#include <cmath>

namespace c2rl {

PointOracle::PointOracle(Matrix points, Matrix standard_errors)
    : points_(std::move(points)), standard_errors_(std::move(standard_errors)) {}

Answer PointOracle::minimize(const Vector& direction) {
  Eigen::Index best = 0;
  (direction.transpose() * points_).minCoeff(&best);
  answered_.push_back(static_cast<int>(best));
  Answer answer;
  answer.point = points_.col(best);
  if (standard_errors_.size() > 0 && standard_errors_.maxCoeff() > 0) {
    // Any point may really lie this much lower.
    const auto variance =
        direction.array().square().matrix().transpose() * standard_errors_.array().square().matrix();
    answer.slack = kStandardErrors * std::sqrt(variance.maxCoeff()) / std::max(direction.norm(), kEpsilon);
    answer.grade = Grade::evidence;
  }
  return answer;
}

void PointOracle::run(Solver& solver) {
  while (const auto direction = solver.ask()) solver.tell(minimize(*direction));
}

void PointOracle::run(Maximizer& maximizer) {
  while (const auto direction = maximizer.ask()) maximizer.tell(minimize(*direction));
}

}  // namespace c2rl
