#pragma once

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

/// The best value of one measurement inside the target: max x_c over mixtures x in Omega. First a solve for
/// feasibility; then the bracket [value(), upper_bound()] closes. Ends `converged` when it is closed to the
/// tolerance, `infeasible` when nothing is inside the target.
class Maximizer : public Solver {
 public:
  /// The measurement of the mixture, -infinity before one is inside the target; and what no mixture inside
  /// the target exceeds.
  double value() const { return value_; }
  double upper_bound() const { return upper_bound_; }
  /// What the upper bound rests on.
  Grade grade() const { return grade_; }

 protected:
  Maximizer(const std::string& solver, SetPtr target, int coordinate, const SolverOptions& options);

  int coordinate() const { return coordinate_; }
  /// All answers so far, one column a call.
  const Matrix& answers() const { return answers_; }
  /// The answers as points (x, x_c), which Omega x [level, infinity) is a target for.
  Matrix lifted_answers() const;
  SetPtr target_at(double level) const;
  /// The direction of R^m that a direction over lifted points asks for.
  Vector fold(const Vector& lifted) const;

  void rise_to(Mixture mixture);
  void lower_bound_to(double upper_bound) { upper_bound_ = std::min(upper_bound_, upper_bound); }

 private:
  Vector next_direction() const final;
  void take(const Answer& answer, int id, bool is_new) final;

  /// Called once a mixture is inside the target.
  virtual void begin_climb() = 0;
  virtual Vector climbing_direction() const = 0;
  /// The answer for the climbing direction is the last column of answers(). Ends the solve when the bracket
  /// is closed.
  virtual void climb(const Answer& answer) = 0;

  int coordinate_;
  std::unique_ptr<Solver> feasibility_;
  Matrix answers_;
  double value_ = -kInfinity, upper_bound_ = kInfinity;
  Grade grade_ = Grade::proof;
};

/// `solver` is the kind that answers the feasibility questions.
std::unique_ptr<Maximizer> make_maximizer(MaximizeMethod method, const std::string& solver, SetPtr target,
                                          int coordinate, const SolverOptions& options);

}  // namespace c2rl
