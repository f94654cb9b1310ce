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
    answer.slack = slack(direction.normalized());
    answer.grade = Grade::evidence;
  }
  return answer;
}

double PointOracle::slack(const Vector& direction) const {
  if (standard_errors_.size() == 0) return 0;
  const auto variances =
      direction.array().square().matrix().transpose() * standard_errors_.array().square().matrix();
  return kStandardErrors * std::sqrt(variances.maxCoeff());
}

void PointOracle::run(Solver& solver) {
  while (const auto direction = solver.ask()) solver.tell(minimize(*direction));
}

}  // namespace c2rl
