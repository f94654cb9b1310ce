#include "c2rl/geometry/updated_qr.h"

#include <Eigen/Jacobi>

namespace c2rl {

void UpdatedQr::decompose(const Vector& v, Vector& coefficients, Vector& residual) const {
  // Gram-Schmidt twice: once leaves a residual that is orthogonal only to rounding of |v|, not of itself.
  coefficients.noalias() = q().transpose() * v;
  residual = v;
  residual.noalias() -= q() * coefficients;
  const Vector correction = q().transpose() * residual;
  residual.noalias() -= q() * correction;
  coefficients += correction;
}

void UpdatedQr::append(const Vector& coefficients, const Vector& residual) {
  if (columns_ == q_.cols()) {
    const Eigen::Index room = Eigen::Index{2} * columns_;
    q_.conservativeResize(rows_, room);
    r_.conservativeResize(room, room);
  }
  const double length = residual.norm();
  q_.col(columns_) = residual / length;
  r_.col(columns_).head(columns_) = coefficients;
  r_(columns_, columns_) = length;
  ++columns_;
}

void UpdatedQr::remove(int column) {
  // Without the column, R is upper triangular but for one diagonal below; rotations of neighbouring rows
  // restore it.
  for (int j = column; j + 1 < columns_; ++j) r_.col(j).head(j + 2) = r_.col(j + 1).head(j + 2);
  --columns_;
  for (int j = column; j < columns_; ++j) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(r_(j, j), r_(j + 1, j), &r_(j, j));
    r_(j + 1, j) = 0;
    if (j + 1 < columns_) {
      r_.block(0, j + 1, columns_ + 1, columns_ - j - 1).applyOnTheLeft(j, j + 1, rotation.adjoint());
    }
    q_.leftCols(columns_ + 1).applyOnTheRight(j, j + 1, rotation);
  }
}

}  // namespace c2rl
