#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/base/vector.h"

namespace c2rl {

/// An axis-aligned box, possibly unbounded.
struct Bounds {
  Vector lower;  // -infinity where there is no bound
  Vector upper;  // +infinity where there is no bound
};

/// {z : A z <= b}: how a polyhedral set is described to code that works with its faces.
struct Halfspaces {
  Matrix normals;  // one row a halfspace
  Vector offsets;
};

class ConvexSet;
using SetPtr = std::shared_ptr<const ConvexSet>;

/// A non-empty closed convex set of R^m: the target Omega of a constrained problem.
///
/// Public methods check sizes, private virtuals compute. Sets are immutable and may be shared between
/// threads.
class ConvexSet : public std::enable_shared_from_this<ConvexSet> {
 public:
  virtual ~ConvexSet() = default;
  ConvexSet(const ConvexSet&) = delete;
  ConvexSet& operator=(const ConvexSet&) = delete;

  int dim() const { return dim_; }

  /// The point of the set nearest to x. Exact to rounding, except where curved sets touch (see
  /// `intersection`).
  Vector project(const Vector& x) const;

  double distance(const Vector& x) const { return (x - project(x)).norm(); }

  /// Membership up to `tolerance` in distance.
  bool contains(const Vector& x, double tolerance) const { return distance(x) <= tolerance; }

  /// An element of the generalised Jacobian of the projection at x, applied to each column of `directions`.
  /// Where the projection has a kink, any of the one-sided derivatives' limits.
  Matrix jacobian_times(const Vector& x, const Matrix& directions) const;

  /// A box that contains the set; not always the smallest one.
  Bounds bounds() const { return compute_bounds(); }

  /// The points that have a whole box, this far from them along each axis, inside the set; for some curved
  /// sets a part of those, but none that has not. An EmptySetError when there are none.
  SetPtr eroded(const Vector& half_widths) const;

  /// The faces of a polyhedral set; no rows and `is_polyhedral() == false` for a curved one.
  virtual bool is_polyhedral() const { return false; }
  virtual Halfspaces halfspaces() const { return {Matrix(0, dim_), Vector(0)}; }

 protected:
  explicit ConvexSet(int dim) : dim_(dim) {}

  /// Central differences of the projection; for sets without a closed form.
  Matrix finite_difference_jacobian(const Vector& x, const Matrix& directions) const;

  /// No bounds; sets that know better override it.
  virtual Bounds compute_bounds() const;

 private:
  virtual Vector compute_projection(const Vector& x) const = 0;
  virtual Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const {
    return finite_difference_jacobian(x, directions);
  }
  /// Half-widths are 0 or more, and one at least is not 0. By the faces, or by the corners of the box.
  virtual SetPtr compute_eroded(const Vector& half_widths) const;

  int dim_;
};

/// The described set has no point. `conflict` holds the indices of rows, coordinates or members that cannot
/// all hold together.
class EmptySetError : public InputError {
 public:
  EmptySetError(const std::string& message, std::vector<int> conflicting)
      : InputError(message), conflict(std::move(conflicting)) {}
  std::vector<int> conflict;
};

}  // namespace c2rl
