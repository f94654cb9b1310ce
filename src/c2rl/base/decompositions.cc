#include "c2rl/base/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
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

Matrix orthonormal_factor(const Matrix& a) {
  const Eigen::HouseholderQR<Matrix> qr(a);
  Matrix q = qr.householderQ() * Matrix::Identity(a.rows(), a.cols());
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    if (qr.matrixQR()(j, j) < 0) q.col(j) = -q.col(j);
  }
  return q;
}

Matrix kernel(const Matrix& a) {
  const Eigen::FullPivLU<Matrix> lu(a);
  if (lu.dimensionOfKernel() == 0) return Matrix(a.cols(), 0);
  return lu.kernel();
}

Cholesky::Cholesky(const Matrix& a) {
  const Eigen::LLT<Matrix> factor(a);
  lower_ = factor.matrixLLT();
  is_positive_definite_ = factor.info() == Eigen::Success;
}

Vector Cholesky::solve(const Vector& b) const {
  Vector x = b;
  lower_.triangularView<Eigen::Lower>().solveInPlace(x);
  lower_.adjoint().triangularView<Eigen::Upper>().solveInPlace(x);
  return x;
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
