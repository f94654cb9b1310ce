#pragma once

#include <functional>
#include <vector>

#include "c2rl/solve/maximize.h"

namespace c2rl {

/// First a solve for feasibility, which may end `infeasible`; then the value climbs.
class ClimbingMaximizer : public Maximizer {
 public:
  /// Until the end every answer may become part of the best mixture again.
  std::vector<int> needed() const final;
  bool needs_improvement() const final { return true; }

 protected:
  ClimbingMaximizer(const SolverMaker& maker, SetPtr target, Vector objective, const SolverOptions& options);

  const Vector& objective() const { return objective_; }
  /// All answers so far, one column a call.
  const Matrix& answers() const { return answers_; }
  /// The answers as points (x, c.x), c being the objective, which Omega x [level, infinity) is a target for.
  Matrix lifted_answers() const;
  SetPtr target_at(double level) const;
  /// The direction of R^m that a direction over lifted points asks for.
  Vector fold(const Vector& lifted) const;

  /// Takes a mixture of lifted answers; `call_of` says which of our calls an atom of it was.
  void rise_to(Mixture lifted, const std::function<int(int id)>& call_of);

 private:
  Vector next_direction() const final;
  void take(const Answer& answer, int id, bool is_new) final;
  void conclude(const Answer& answer) final;

  /// Called once a mixture is inside the target.
  virtual void begin_climb() = 0;
  virtual Vector climbing_direction() const = 0;
  /// The answer for the climbing direction is the last column of answers(). Ends the solve when the bracket
  /// is closed.
  virtual void climb(const Answer& answer) = 0;
  /// Only takes the upper bound from an answer for the climbing direction.
  virtual void bound_with(const Answer& answer) = 0;

  Vector objective_;
  std::unique_ptr<Solver> feasibility_;
  Matrix answers_;
};

/// The methods behind `make_maximizer`.
std::unique_ptr<Maximizer> direct_maximizer(const SolverMaker& maker, SetPtr target, const Vector& objective,
                                            const SolverOptions& options);
std::unique_ptr<Maximizer> bisecting_maximizer(const SolverMaker& maker, SetPtr target,
                                               const Vector& objective, const SolverOptions& options);

}  // namespace c2rl
