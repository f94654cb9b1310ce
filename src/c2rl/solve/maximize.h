#pragma once

#include <optional>

#include "c2rl/solve/solver.h"

namespace c2rl {

/// The best value of one measurement inside the target: max x_c over mixtures x in Omega, by ask and tell.
///
/// First a solve for feasibility. Then, with P the answers so far, the best mixture of P inside the target
/// and its multipliers come without the oracle; the oracle is asked whether anything beats them. Its answer
/// bounds the optimum from above, and joins P: each call narrows the bracket [value(), upper_bound()] from
/// both sides.
class Maximizer {
 public:
  Maximizer(const std::string& solver, SetPtr target, int coordinate, const SolverOptions& options);

  std::optional<Vector> ask() const;
  void tell(const Answer& answer);

  /// converged: the bracket is closed to the tolerance. infeasible: nothing is inside the target.
  Status status() const { return status_; }
  const Mixture& mixture() const { return mixture_; }
  int calls() const { return static_cast<int>(answers_.cols()); }
  int atoms_max() const { return atoms_max_; }
  double distance() const { return target_->distance(mixture_.point); }
  /// Of the feasibility question.
  const Certificate& certificate() const { return feasibility_->certificate(); }

  /// The measurement of the mixture, -infinity before one is inside the target; and what no mixture inside
  /// the target exceeds.
  double value() const { return value_; }
  double upper_bound() const { return upper_bound_; }
  Grade grade() const { return grade_; }

 private:
  void climb();

  SetPtr target_;
  int coordinate_;
  SolverOptions options_;
  std::unique_ptr<Solver> feasibility_;
  Matrix answers_;  // one column a call
  Mixture mixture_;
  Status status_ = Status::running;
  int atoms_max_ = 0;
  double value_ = -kInfinity, upper_bound_ = kInfinity;
  Grade grade_ = Grade::proof;

  /// The multipliers at the best mixture of the answers: for y in Omega, push.y <= push_at, and for every
  /// achievable y the oracle bounds (push - price * e_c).y from below; together they bound y_c from above.
  Vector push_;
  double push_at_ = 0, price_ = 1;
};

}  // namespace c2rl
