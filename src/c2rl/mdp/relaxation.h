#pragma once

#include <cstdint>
#include <span>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

/// X = B + X M' for one strongly connected M >= 0 whose powers vanish, approached from any X: a column of B and X for each
/// row of M, an entry of it for each of the systems that are solved at once. Gauss-Seidel sweeps in the order of the rows, which cost least where mixing is fast; where the contraction that they
/// show says that they would take long, small systems are factorised, and large ones left to a Krylov method,
/// preconditioned by an incomplete factorisation that keeps the pattern of M: exact on chains and trees, good
/// where the order follows the flow.
class Relaxation {
 public:
  /// A row that leads to itself is solved for itself first.
  Relaxation(SparseRows matrix, Matrix b);

  /// Unknowns up to which equations are factorised where sweeps would take long. The factors of a random graph
  /// fill up completely: at this size that is 8 MB and a tenth of a second.
  static constexpr int kDirectLimit = 1000;

  /// By sparse LU. Returns whether there is a solution: not where I - M is singular but for rounding.
  bool factorise(Matrix& x) const;

  /// Until no row is off by more than `goal`, or by more than rounding explains. Returns the sweeps it took.
  int approach(Matrix& x, double goal, const Pulse& listener) const;

  /// Puts another row into the place of one. Returns whether it has as many entries; else nothing is done.
  bool replace(int row, std::span<const std::int32_t> column, std::span<const double> value, const Vector& b);

 private:
  void solve_for_itself(int row);
  bool rows_lose_alike() const;
  template <int kSystems>
  void sweep(Matrix& x) const;
  struct Step {
    double residual = 0;  // the largest |b + M x - x| before the step
    double rounding = 0;  // what rounding makes of one that is 0
  };
  template <int kSystems>
  Step step(Matrix& x, Matrix& off) const;
  template <int kSystems>
  int approach_by_sweeps(Matrix& x, double goal, const Pulse& listener) const;
  void krylov(Matrix& x, double goal, const Pulse& listener) const;
  Vector krylov_correction(const Vector& right, double goal, const Pulse& listener) const;

  SparseRows matrix_;
  Matrix b_;
  Vector weight_;    // what a row's equation was divided by: 1, but where it leads to itself
  Vector lost_;      // of a unit everywhere, in a step from each row
  int entries_ = 0;  // of the longest row
};

}  // namespace c2rl
