#pragma once

#include <limits>

#include <Eigen/Core>

namespace c2rl {

/// A point or direction of R^m: one entry per measurement.
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace c2rl
