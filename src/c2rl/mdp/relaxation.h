#pragma once

#include <cstdint>
#include <span>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

/// x = b + M x for one strongly connected M >= 0 whose powers vanish, approached from any x. Gauss-Seidel
/// sweeps in the order of the rows, which cost least where mixing is fast; where the contraction that they
/// show says that they would take long, small systems are factorised, and large ones left to a Krylov method,
/// preconditioned by an incomplete factorisation that keeps the pattern of M: exact on chains and trees, good
/// where the order follows the flow.
class Relaxation {
 public:
  /// A row that leads to itself is solved for itself first.
  Relaxation(SparseRows matrix, Vector b);

  /// Unknowns up to which equations are factorised where sweeps would take long. The factors of a random graph
  /// fill up completely: at this size that is 8 MB and a tenth of a second.
  static constexpr int kDirectLimit = 1000;

  /// By sparse LU. Returns whether there is a solution: not where I - M is singular but for rounding.
  bool factorise(Vector& x) const;

  /// Until no row is off by more than `goal`, or by more than rounding explains. Returns the sweeps it took.
  int approach(Vector& x, double goal, const Pulse& listener) const;

  /// Puts another row into the place of one. Returns whether it has as many entries; else nothing is done.
  bool replace(int row, std::span<const std::int32_t> column, std::span<const double> value, double b);

 private:
  void solve_for_itself(int row);
  bool rows_lose_alike() const;
  void sweep(Vector& x) const;
  struct Step {
    double residual;  // the largest |b + M x - x| before the step
    double rounding;  // what rounding makes of one that is 0
  };
  Step step(Vector& x) const;
  void krylov(Vector& x, double goal, const Pulse& listener) const;

  SparseRows matrix_;
  Vector b_;
  Vector weight_;    // what a row's equation was divided by: 1, but where it leads to itself
  Vector lost_;      // of a unit everywhere, in a step from each row
  int entries_ = 0;  // of the longest row
};

}  // namespace c2rl
