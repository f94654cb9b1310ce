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

/// A point x seen from a set.
struct Outward {
  Vector
      vector;    // x - project(x), computed without that difference where it can be: its direction is good to
                 // rounding, however near to the set x is
  Vector gross;  // of the terms that add up to each entry of the vector, the sum of their absolute values
  /// How much farther along the vector than project(x) the set may reach. Zero to rounding, except where a
  /// projection on an intersection with curved members is not quite at its end.
  double beyond = 0;
};

/// Numbers beyond this are refused wherever they come in: squares of distances must not overflow.
inline constexpr double kLargestNumber = 1e100;

/// What is computed from numbers is good to this much of their size: no claim rests on less.
inline constexpr double kRounding = 64 * kEpsilon;

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

  Outward outward(const Vector& x) const;

  double distance(const Vector& x) const { return outward(x).vector.stableNorm(); }

  /// How far outside x is by more than rounding: the distance, less what each constraint's own numbers are good
  /// to. So no constraint is excused by the size of a number that it does not name. `sizes` says how large the
  /// numbers are that each coordinate was computed from.
  double excess(const Vector& x, const Vector& sizes) const;

  /// 1 for the coordinates that the set constrains, 0 for those that it leaves free.
  Vector constrained() const { return compute_constrained(); }

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

  /// All coordinates; sets that leave some of them free override it.
  virtual Vector compute_constrained() const { return Vector::Ones(dim_); }

 private:
  virtual Vector compute_projection(const Vector& x) const = 0;
  /// The difference of x and its projection; sets that know a way without cancellation override it.
  virtual Outward compute_outward(const Vector& x) const;
  /// For a set that is one constraint over all its coordinates.
  virtual double compute_excess(const Vector& x, const Vector& sizes) const;
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
