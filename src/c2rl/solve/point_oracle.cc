#include "c2rl/solve/point_oracle.h"

#include <stdexcept>

#include <fmt/format.h>

namespace c2rl {

PointOracle::PointOracle(Matrix points) : points_(std::move(points)) {
  if (points_.size() == 0) throw std::logic_error("an oracle over no points");
}

Answer PointOracle::minimize(const Vector& direction) {
  if (direction.size() != points_.rows()) {
    throw std::logic_error(
        fmt::format("a direction of R^{} for points of R^{}", direction.size(), points_.rows()));
  }
  Eigen::Index best = 0;
  (direction.transpose() * points_).minCoeff(&best);
  answered_.push_back(static_cast<int>(best));
  return {.point = points_.col(best)};
}

void PointOracle::run(Solver& solver) {
  while (const auto direction = solver.ask()) solver.tell(minimize(*direction));
}

}  // namespace c2rl
