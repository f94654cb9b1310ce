#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "c2rl/solve/solver.h"

namespace c2rl {

/// How the best value of a measurement is approached.
enum class MaximizeMethod {
  direct,     // column generation: every oracle call narrows the bracket from both sides
  bisection,  // the paper's binary search over the value, each step a feasibility problem
};

/// The best value of one measurement inside the target: max x_c over mixtures x in Omega. The bracket
/// [value(), upper_bound()] closes; ends `converged` when it is closed to the tolerance.
class Maximizer : public Solver {
 public:
  /// The measurement of the mixture, -infinity before one is inside the target; and what no mixture inside
  /// the target exceeds.
  double value() const { return value_; }
  double upper_bound() const { return upper_bound_; }
  /// What the upper bound rests on.
  Grade grade() const { return grade_; }

 protected:
  using Solver::Solver;

  void set_value(double value) { value_ = value; }
  void lower_bound_to(double upper_bound) { upper_bound_ = std::min(upper_bound_, upper_bound); }
  void rest_on(Grade grade) { grade_ = grade == Grade::evidence ? grade : grade_; }

 private:
  double value_ = -kInfinity, upper_bound_ = kInfinity;
  Grade grade_ = Grade::proof;
};

/// `solver` is the kind that answers the feasibility questions; "lagrangian" maximises by its own method.
std::unique_ptr<Maximizer> make_maximizer(MaximizeMethod method, const std::string& solver, SetPtr target,
                                          int coordinate, const SolverOptions& options);

}  // namespace c2rl
