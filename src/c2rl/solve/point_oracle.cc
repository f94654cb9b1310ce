#include "c2rl/solve/point_oracle.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace c2rl {

PointOracle::PointOracle(Matrix points, Matrix standard_errors)
    : points_(std::move(points)), standard_errors_(std::move(standard_errors)) {
  if (points_.size() == 0) throw std::logic_error("an oracle over no points");
  if (standard_errors_.size() > 0 &&
      (standard_errors_.rows() != points_.rows() || standard_errors_.cols() != points_.cols())) {
    throw std::logic_error(fmt::format("standard errors of {} points of R^{} for {} points of R^{}",
                                       standard_errors_.cols(), standard_errors_.rows(), points_.cols(),
                                       points_.rows()));
  }
}

Answer PointOracle::minimize(const Vector& direction) {
  check_size(direction);
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
  check_size(direction);
  if (standard_errors_.size() == 0) return 0;
  const auto variances =
      direction.array().square().matrix().transpose() * standard_errors_.array().square().matrix();
  return kStandardErrors * std::sqrt(variances.maxCoeff());
}

void PointOracle::check_size(const Vector& direction) const {
  if (direction.size() != points_.rows()) {
    throw std::logic_error(
        fmt::format("a direction of R^{} for points of R^{}", direction.size(), points_.rows()));
  }
}

void PointOracle::run(Solver& solver) {
  while (const auto direction = solver.ask()) solver.tell(minimize(*direction));
}

}  // namespace c2rl
