#pragma once

#include "c2rl/base/vector.h"

namespace c2rl {

/// The decompositions that several sets need, compiled once: each costs the compiler as much as ten files.

/// Of all x that minimise |A x - b|, the one of least norm.
Vector least_norm_solution(const Matrix& a, const Vector& b);
/// The same for every column of b.
Matrix least_norm_solution(const Matrix& a, const Matrix& b);

/// Orthonormal columns that span the same space as those of A.
Matrix column_basis(const Matrix& a);

/// A = U diag(values) V', as far as the values are not zero.
struct SingularValues {
  Matrix u, v;
  Vector values;  // falling
};
SingularValues singular_values(const Matrix& a);

/// The largest of them: how much A can stretch a vector.
double spectral_norm(const Matrix& a);

}  // namespace c2rl
