#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>

namespace interior_point {

/// min 1/2 |f|^2   over (p, f) with   equations (p, f) = right,   p >= 0.
///
/// Of the variables the first `positive` are p, which the objective does not see, and the others are f, which
/// no bound holds: every variable has either a barrier or a curvature of its own, so that the normal
/// equations need nothing else to be definite than equations of full rank. The last `border` equations are
/// few and may be dense; only they have f.
struct Program {
  Eigen::SparseMatrix<double> equations;  // one row an equation, one column a variable
  Eigen::VectorXd right;
  int positive = 0;  // variables in p
  int border = 0;    // equations
};

struct Solution {
  Eigen::VectorXd variables;    // (p, f)
  Eigen::VectorXd multipliers;  // y, one an equation: y' equations is f on f, and at most 0 on p
  int iterations = 0;
  bool converged = false;  // to the tolerances below
};

/// Largest violation of an equation and of a stationarity condition, relative to the right-hand side's size.
inline constexpr double kResidual = 1e-11;
/// Largest duality gap, relative to |f|^2: |f| is good to half of that.
inline constexpr double kGap = 1e-11;
/// Largest duality gap where the optimum is 0, and the gap what |f|^2 is good to: 1e-9 for |f|.
inline constexpr double kLeastGap = 1e-18;
/// Twenty to forty iterations is usual.
inline constexpr int kMaxIterations = 100;

/// Mehrotra's predictor-corrector method, by Cholesky factors of the normal equations.
Solution solve(const Program& program);

}  // namespace interior_point
