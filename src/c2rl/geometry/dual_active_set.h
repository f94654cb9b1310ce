#pragma once

#include <iterator>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/geometry/convex_set.h"
#include "c2rl/geometry/updated_qr.h"

namespace c2rl {

/// The projection of a point x on halfspaces that arrive one at a time:
///
///   min 1/2 |z - x|^2   subject to   normal_i.z <= offset_i
///
/// by the dual active-set method of Goldfarb and Idnani with the identity as Hessian. `point` is always the
/// projection on the halfspaces enforced so far, so the next one may be chosen with it in hand: the most
/// violated row of a polyhedron, or a supporting halfspace of a curved set.
class DualActiveSet {
 public:
  explicit DualActiveSet(const Vector& x);

  const Vector& point() const { return z_; }

  /// How far outside a halfspace the point may be and still count as inside: rounding of normal.z, and of z,
  /// which is computed from x. Coordinates that the normal does not name have no part in it.
  double feasibility_tolerance(const Vector& normal, double offset) const;

  /// Moves the point so that normal.z <= offset holds as well; |normal| = 1. Returns false when nothing
  /// satisfies all halfspaces together: see conflict().
  bool enforce(const Vector& normal, double offset, int id);

  /// Enforces lower <= A z <= upper, the most violated row first until none is; rows have length 1 and their
  /// numbers as ids. False as above.
  bool enforce_all(const Matrix& a, const Vector& lower, const Vector& upper);

  /// The ids of the halfspaces that hold the point where it is.
  const std::vector<int>& active() const { return ids_; }

  /// What the active halfspaces of this id move the point by: the sum of multiplier * normal over them.
  /// x - point() is the sum of the pushes of all ids.
  Vector push(int id) const;

  /// The active normals, one column each, and their offsets.
  auto normals() const { return normals_.leftCols(factor_.columns()); }
  const std::vector<double>& offsets() const { return offsets_; }

  /// x - point() as the active set has it, not as a difference. Entries that no active normal has are exactly
  /// zero. `beyond`: any multipliers that are not negative bound how far the halfspaces reach along it.
  Outward outward() const;
  /// The same with more digits, where normals are so nearly parallel that it needs them. For rows that are exact as they
  /// are: of planes that only touch something round, more digits say nothing.
  Outward sharp_outward() const;

  /// An orthonormal basis of the span of the active normals.
  auto active_basis() const { return factor_.q(); }

  /// After enforce failed: ids of halfspaces that cannot all hold. A positive combination of their normals is
  /// zero.
  const std::vector<int>& conflict() const { return conflict_; }

 private:
  /// Of the numbers in normal.z <= offset.
  double size(const Vector& normal, double offset) const;
  Vector excess() const { return Eigen::Map<const Vector>(excess_.data(), std::ssize(excess_)); }
  void drop(int index);
  /// Recomputes the point from the active set, so that rounding does not pile up.
  void refresh();

  Vector x_;
  Vector z_;
  UpdatedQr factor_;  // of the active normals
  std::vector<int> ids_;
  Matrix normals_;               // of the active halfspaces; only the first columns are in use
  std::vector<double> offsets_;  // of the active halfspaces
  std::vector<double> excess_;   // normal.x - offset of the active halfspaces
  Vector multipliers_;
  std::vector<int> conflict_;
};

}  // namespace c2rl
