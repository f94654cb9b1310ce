#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/progress.h"

namespace c2rl {

template <typename Real>
struct RelaxedRows;

/// X = B + X M' for one strongly connected M >= 0 whose powers vanish, approached from any X: a column of B and X for each
/// row of M, an entry of it for each of the systems that are solved at once.
///
/// What X is off by is computed in double precision; the correction that it needs, which solves the same equations, in
/// single precision, where twice as much fits into the caches: each correction leaves a part of what was off that rounding
/// explains, and a few of them all that double precision has. They are found by Gauss-Seidel sweeps in the order of the
/// rows, which cost least where mixing is fast; where the contraction that they show says that they would take long, small
/// systems are factorised, and large ones left to a Krylov method, preconditioned by an incomplete factorisation that keeps
/// the pattern of M: exact on chains and trees, good where the order follows the flow.
class Relaxation {
 public:
  /// A row that leads to itself is solved for itself first.
  explicit Relaxation(SparseRows matrix);

  /// Unknowns up to which equations are factorised where sweeps would take long. The factors of a random graph
  /// fill up completely: at this size that is 8 MB and a tenth of a second.
  static constexpr int kDirectLimit = 1000;

  /// By sparse LU. Returns whether there is a solution: not where I - M is singular but for rounding.
  bool factorise(const Matrix& b, Matrix& x);

  /// Until no row is off by more than `goal`, or by more than rounding explains. Returns the sweeps it took.
  int approach(const Matrix& b, Matrix& x, double goal, const Pulse& listener);

  /// Puts another row into the place of one. Returns whether it has as many entries; else nothing is done.
  bool replace(int row, std::span<const std::int32_t> column, std::span<const double> value);

 private:
  /// What sweeps in one precision work on.
  template <typename Real>
  struct Work {
    std::vector<Real> value;  // of the matrix; empty: not there yet
    std::vector<Real> b, x, off;
  };
  struct Swept;

  void solve_for_itself(int row);
  void take(const Matrix& b);
  bool factorise(Matrix& x) const;
  bool rows_lose_alike() const;
  template <int kSystems>
  int approach_by_sweeps(Matrix& x, double goal, const Pulse& listener);
  double shift(Matrix& x, const Vector& carried);
  template <typename Real, typename Approach>
  auto correct(Matrix& x, double unit, Approach approach);
  template <int kSystems, typename Real>
  Swept sweep_to(const RelaxedRows<Real>& rows, Work<Real>& work, double goal, double end, double worth,
                 const Pulse& listener) const;
  void krylov(Matrix& x, double goal, const Pulse& listener) const;
  Vector krylov_correction(const Vector& right, double goal, const Pulse& listener) const;

  SparseRows matrix_;
  Matrix b_;         // of the equations being solved
  Vector weight_;    // what a row's equation was divided by: 1, but where it leads to itself
  Vector lost_;      // of a unit everywhere, in a step from each row
  int entries_ = 0;  // of the longest row
  int alike_ = 0;    // of most rows, where most are as long
  Matrix off_;       // what x is off by
  std::tuple<Work<float>, Work<double>> work_;
};

}  // namespace c2rl
