#pragma once

#include "c2rl/base/vector.h"

namespace c2rl {

/// Eigen's decompositions, compiled once: each costs the compiler as much as ten files.

/// Of all x that minimise |A x - b|, the one of least norm.
Vector least_norm_solution(const Matrix& a, const Vector& b);
/// The same for every column of b.
Matrix least_norm_solution(const Matrix& a, const Matrix& b);

/// Orthonormal columns that span the same space as those of A.
Matrix column_basis(const Matrix& a);

/// The Q of A = Q R with a positive diagonal of R, which makes it unique; A has at least as many rows as columns.
Matrix orthonormal_factor(const Matrix& a);

/// A basis of what A maps to zero; no columns where that is zero alone.
Matrix kernel(const Matrix& a);

/// A = L L' for symmetric A.
class Cholesky {
 public:
  explicit Cholesky(const Matrix& a);

  bool is_positive_definite() const { return is_positive_definite_; }
  /// Of A x = b, for positive definite A.
  Vector solve(const Vector& b) const;

 private:
  Matrix lower_;
  bool is_positive_definite_;
};

/// A = U diag(values) V', as far as the values are not zero.
struct SingularValues {
  Matrix u, v;
  Vector values;  // falling
};
SingularValues singular_values(const Matrix& a);

/// The largest of them: how much A can stretch a vector.
double spectral_norm(const Matrix& a);

}  // namespace c2rl
