#pragma once

#include "c2rl/base/vector.h"
#include "c2rl/geometry/updated_qr.h"

namespace c2rl {

/// Affinely independent atoms and the affine minimiser over them:
///
///   argmin |S alpha - w|   subject to   sum alpha = 1
///
/// from a QR factorisation of the bordered matrix B = [S - center; sigma 1'], updated as atoms come and go.
/// The border makes affine independence of the atoms linear independence of the columns; centering keeps a
/// common offset of all atoms out of the factor, which does not depend on w either. No normal equations, so
/// near-duplicates cost no more digits than they must.
class AffineHull {
 public:
  explicit AffineHull(int dim) : AffineHull(Vector::Ones(dim)) {}
  /// Only the coordinates where `counted` is 1 count, the others being 0: lengths, distances and dependence are
  /// theirs.
  explicit AffineHull(const Vector& counted)
      : factor_(static_cast<int>(counted.size()) + 1), counted_(counted) {}

  int dim() const { return factor_.rows() - 1; }
  int size() const { return factor_.columns(); }
  auto atoms() const { return atoms_.leftCols(size()); }

  /// Adds an atom, unless it depends affinely on those there: then nothing changes, and `combination` shows
  /// it as atoms() * combination, sum 1.
  bool insert(const Vector& atom, Vector& combination);
  void remove(int index);
  void clear();

  /// The coefficients of the point of the affine hull nearest to w.
  Vector minimizer(const Vector& w) const;

  /// Directions within the hull, in coordinates in which lengths are true: the direction q() * z, for z
  /// orthogonal to border(), changes the coefficients by weights_of(z).
  auto q() const { return factor_.q().topRows(dim()); }
  Vector border() const { return factor_.q().row(dim()).transpose(); }
  Vector weights_of(const Vector& z) const { return factor_.solve_r(z); }

 private:
  Vector bordered(const Vector& atom) const;
  void refactor();

  Matrix atoms_;
  UpdatedQr factor_;
  Vector counted_;
  Vector center_;
  double sigma_ = 1;  // the border, of the size of the columns, so that neither drowns the other
  int updates_ = 0;   // since the last refactorisation
};

}  // namespace c2rl
