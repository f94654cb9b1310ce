#include <numeric>

#include "c2rl/base/decompositions.h"
#include "c2rl/geometry/check.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// What the equations A x = b may miss by at the best x, relative to b, and still count as solvable.
constexpr double kConsistent = 1e-11;

class AffineSubspace final : public ConvexSet {
 public:
  /// The columns of `normals` are orthonormal and span the rows of A; `anchor` is a solution.
  AffineSubspace(Matrix normals, Vector anchor, Halfspaces faces)
      : ConvexSet(static_cast<int>(anchor.size())),
        normals_(std::move(normals)),
        anchor_(std::move(anchor)),
        faces_(std::move(faces)) {}

  bool is_polyhedral() const override { return true; }
  Halfspaces halfspaces() const override { return faces_; }

 private:
  Vector compute_projection(const Vector& x) const override {
    return x - normals_ * (normals_.transpose() * (x - anchor_));
  }

  Outward compute_outward(const Vector& x) const override {
    const Vector along = normals_.transpose() * (x - anchor_);
    return {normals_ * along, normals_.cwiseAbs() * along.cwiseAbs()};
  }

  Vector compute_constrained() const override {
    return (faces_.normals.cwiseAbs().colwise().maxCoeff().transpose().array() > 0).cast<double>();
  }

  Matrix compute_jacobian_times(const Vector&, const Matrix& directions) const override {
    return directions - normals_ * (normals_.transpose() * directions);
  }

  Matrix normals_;
  Vector anchor_;
  Halfspaces faces_;
};

}  // namespace

SetPtr affine_subspace(const Matrix& a, const Vector& b) {
  check_finite(a, "affine subspace A");
  check_size(b.size(), a.rows(), "affine subspace b");
  check_finite(b, "affine subspace b");

  const Vector anchor = least_norm_solution(a, b);
  if ((a * anchor - b).norm() > kConsistent * b.norm()) {
    std::vector<int> rows(static_cast<size_t>(a.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    throw EmptySetError("the affine subspace is empty: its equations contradict each other", rows);
  }
  const Matrix normals = column_basis(a.transpose());
  Halfspaces faces{Matrix(2 * a.rows(), a.cols()), Vector(2 * a.rows())};
  faces.normals << a, -a;
  faces.offsets << b, -b;
  return std::make_shared<AffineSubspace>(normals, anchor, std::move(faces));
}

}  // namespace c2rl
