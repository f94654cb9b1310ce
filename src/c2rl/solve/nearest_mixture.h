#pragma once

#include "c2rl/solve/solver.h"

namespace c2rl {

/// The solvers that go downhill on f(x) = 1/2 dist^2(x, Omega) over the hull of the oracle's answers: each
/// asks for the gradient's direction, so each answer certifies a lower bound, and all end by the same rules.
/// They differ in how an answer moves the mixture.
class NearestMixtureSolver : public Solver {
 public:
  bool needs_improvement() const final { return true; }

 protected:
  NearestMixtureSolver(SetPtr target, const SolverOptions& options) : Solver(std::move(target), options) {}

 private:
  Vector next_direction() const override { return gradient().stableNormalized(); }
  void take(const Answer& answer, int id, bool is_new) override;
  void conclude(const Answer& answer) override;

  /// Moves the mixture with the oracle's point. Never called for the first point.
  virtual void update(int id, const Vector& point, bool is_new, Mixture& mixture) = 0;
  /// The mixture becomes the single atom `id`: at the start, or when one answer is a solution by itself.
  virtual void restart(int /*id*/, const Vector& /*point*/) {}
  /// Called once, when the solve has ended with a mixture that is final.
  virtual void finish(Mixture& /*mixture*/) {}

  void become(int id, const Vector& point);
  void end_with(Status status);
};

}  // namespace c2rl
