#include "c2rl/geometry/decompositions.h"

#include <Eigen/QR>
#include <Eigen/SVD>

namespace c2rl {

Vector least_norm_solution(const Matrix& a, const Vector& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

Matrix least_norm_solution(const Matrix& a, const Matrix& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

Matrix column_basis(const Matrix& a) {
  const Eigen::ColPivHouseholderQR<Matrix> qr(a);
  return qr.householderQ() * Matrix::Identity(a.rows(), qr.rank());
}

SingularValues singular_values(const Matrix& a) {
  const Eigen::JacobiSVD<Matrix> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::Index rank = svd.rank();
  return {svd.matrixU().leftCols(rank), svd.matrixV().leftCols(rank), svd.singularValues().head(rank)};
}

double spectral_norm(const Matrix& a) {
  return Eigen::JacobiSVD<Matrix>(a).singularValues()(0);
}

}  // namespace c2rl
