#pragma once

#include "c2rl/base/vector.h"

namespace c2rl {

/// The thin QR factorisation A = Q R of a matrix that gains columns at the end and loses any of them.
/// Both updates cost O(rows * columns), and keep Q orthonormal to rounding.
class UpdatedQr {
 public:
  explicit UpdatedQr(int rows)
      : rows_(rows), q_(rows, kInitialColumns), r_(kInitialColumns, kInitialColumns) {}

  int rows() const { return rows_; }
  int columns() const { return columns_; }

  auto q() const { return q_.leftCols(columns_); }

  /// R v, R^-1 v and R^-T v.
  Vector multiply_r(const Vector& v) const {
    return r_.topLeftCorner(columns_, columns_).template triangularView<Eigen::Upper>() * v;
  }
  Vector solve_r(const Vector& v) const {
    return r_.topLeftCorner(columns_, columns_).template triangularView<Eigen::Upper>().solve(v);
  }
  Vector solve_r_transposed(const Vector& v) const {
    return r_.topLeftCorner(columns_, columns_).transpose().template triangularView<Eigen::Lower>().solve(v);
  }

  /// The smallest entry of R's diagonal, by size; 1 where there is none. Of columns of length 1 it is small where they are
  /// nearly dependent.
  double least_diagonal() const {
    return columns_ == 0 ? 1 : r_.diagonal().head(columns_).cwiseAbs().minCoeff();
  }

  /// v = Q coefficients + residual, the residual orthogonal to Q.
  void decompose(const Vector& v, Vector& coefficients, Vector& residual) const;

  /// Adds the column whose decomposition this is. The residual must not be zero.
  void append(const Vector& coefficients, const Vector& residual);

  void remove(int column);

  void clear() { columns_ = 0; }

 private:
  static constexpr int kInitialColumns = 8;

  int rows_;
  int columns_ = 0;
  Matrix q_;  // only the first `columns_` columns are in use
  Matrix r_;
};

}  // namespace c2rl
