#include "c2rl/geometry/curved_intersection.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/decompositions.h"
#include "c2rl/geometry/dual_active_set.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// At least one member is curved. Three stages:
///
/// 1. Cuts. The dual active-set method gets the most violated halfspace (a face of a polyhedral member, or the
///    supporting halfspace of a curved one at its nearest point) until nothing is violated. Since halfspaces
///    are outer approximations, failing to satisfy them all proves that the intersection is empty.
/// 2. Newton. Where the curved members bend, cuts find the point only to the square root of the tolerance.
///    The point z is the projection of x when it is the nearest point of every member k that pushes, seen from
///    z + p_k, the pushes adding up to x - z:   z = x - sum p_j,   z = Proj_k(z + p_k).   The cuts give p;
///    Newton does the rest.
/// 3. Tangents. Where members meet at a sharp angle, pushes are huge and cancel, and z is only good to their
///    rounding. The halfspaces that the pushing members lie in, at the points that Newton found, hold the same z,
///    and the active-set method finds it without adding up pushes. What is outward for them is so for all points
///    of the intersection, however good the tangents are.
class CurvedIntersection final : public ConvexSet {
 public:
  explicit CurvedIntersection(std::vector<SetPtr> members)
      : ConvexSet(members[0]->dim()), members_(std::move(members)) {
    for (const SetPtr& member : members_) {
      Halfspaces faces = member->halfspaces();
      const Vector lengths = faces.normals.rowwise().norm();
      faces.normals = lengths.cwiseInverse().asDiagonal() * faces.normals;
      faces.offsets = faces.offsets.cwiseQuotient(lengths);
      faces_.push_back(std::move(faces));
      constrained_.push_back(member->constrained());
    }
    DualActiveSet cuts(Vector::Zero(dim()));
    if (cut(cuts, kTouching)) return;
    const std::set<int> conflict(cuts.conflict().begin(), cuts.conflict().end());
    throw EmptySetError(
        fmt::format("the intersection is empty: members {} share no point", fmt::join(conflict, ", ")),
        {conflict.begin(), conflict.end()});
  }

 private:
  /// A point x seen from the members.
  struct Seen {
    std::vector<int> members;  // those that push
    Matrix p;  // what each pushes by, one column a member; together, the way into the intersection
    Outward outward;
    Vector total() const { return p.rowwise().sum(); }
  };

  Vector compute_projection(const Vector& x) const override { return x - look(x).outward.vector; }

  Outward compute_outward(const Vector& x) const override { return look(x).outward; }

  /// Every member by itself, and the distance: where members meet at a sharp angle it is more than theirs.
  double compute_excess(const Vector& x, const Vector& sizes) const override {
    const Seen seen = look(x);
    const Vector numbers = sizes + (x - seen.outward.vector).cwiseAbs();
    double excess = seen.outward.vector.stableNorm();
    for (const int k : seen.members) excess -= kRounding * numbers.cwiseProduct(constrained_[k]).norm();
    for (const SetPtr& member : members_) excess = std::max(excess, member->excess(x, sizes));
    return std::max(0.0, excess);
  }

  Vector compute_constrained() const override {
    Vector result = Vector::Zero(dim());
    for (const Vector& member : constrained_) result = result.cwiseMax(member);
    return result;
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    const Seen seen = look(x);
    if (seen.members.empty()) return directions;
    // Moving x by d changes the pushes as an error of (I - DProj_k) d in equation k would.
    const Vector z = x - seen.outward.vector;
    const Eigen::Index count = std::ssize(seen.members);
    Matrix right(dim() * count, directions.cols());
    for (Eigen::Index k = 0; k < count; ++k) {
      const Vector from = z + seen.p.col(k);
      right.middleRows(k * dim(), dim()) =
          directions - members_[seen.members[k]]->jacobian_times(from, directions);
    }
    const Matrix change = least_norm_solution(newton_matrix(seen, z), right);
    Matrix result = directions;
    for (Eigen::Index k = 0; k < count; ++k) result -= change.middleRows(k * dim(), dim());
    return result;
  }

  Bounds compute_bounds() const override {
    Bounds bounds = ConvexSet::compute_bounds();
    for (const SetPtr& member : members_) {
      const Bounds inner = member->bounds();
      bounds.lower = bounds.lower.cwiseMax(inner.lower);
      bounds.upper = bounds.upper.cwiseMin(inner.upper);
    }
    return bounds;
  }

  SetPtr compute_eroded(const Vector& half_widths) const override {
    std::vector<SetPtr> eroded = members_;
    for (SetPtr& member : eroded) member = member->eroded(half_widths);
    return intersection(std::move(eroded));
  }

  Seen look(const Vector& x) const {
    DualActiveSet cuts(x);
    cut(cuts, kSharp);
    Seen seen;
    const std::set<int> pushing(cuts.active().begin(), cuts.active().end());
    seen.members.assign(pushing.begin(), pushing.end());
    const Eigen::Index count = std::ssize(seen.members);
    seen.p.resize(dim(), count);
    for (Eigen::Index k = 0; k < count; ++k) seen.p.col(k) = cuts.push(seen.members[k]);
    seen.outward = cuts.outward();
    if (count == 0) return seen;

    double error = residual(seen, x).norm();
    for (int step = 0; step < kNewtonSteps && error > 0; ++step) {
      Seen next = seen;
      const Vector change = least_norm_solution(newton_matrix(seen, x - seen.total()), residual(seen, x));
      for (Eigen::Index k = 0; k < count; ++k) next.p.col(k) += change.segment(k * dim(), dim());
      const double next_error = residual(next, x).norm();
      if (next_error >= error) break;
      seen = std::move(next);
      error = next_error;
    }
    // What rounding left in coordinates that a member does not constrain would meet numbers of any size there.
    for (Eigen::Index k = 0; k < count; ++k) seen.p.col(k).array() *= constrained_[seen.members[k]].array();

    settle(seen, cuts, x);
    return seen;
  }

  /// Stage 3. Tangents of members that merely touch are parallel and hold less than the cuts around them do, whose
  /// way out is kept then.
  void settle(Seen& seen, const DualActiveSet& cuts, const Vector& x) const {
    Vector z = x - seen.total();
    for (int round = 0; round < kTangentRounds; ++round) {
      const Halfspaces around = tangents(seen, cuts, z);
      DualActiveSet projection(x);
      if (!projection.enforce_all(around.normals, Vector::Constant(around.offsets.size(), -kInfinity),
                                  around.offsets))
        return;
      const Outward outward = projection.outward();
      z = projection.point();
      const double rounding = kRounding * outward.gross.dot(x.cwiseAbs() + z.cwiseAbs());
      if (proven(outward, rounding) < proven(seen.outward)) return;
      seen.outward = outward;
    }
  }

  /// What a way out, being one to halfspaces around the intersection, proves of the distance.
  static double proven(const Outward& outward, double rounding = 0) {
    const double length = outward.vector.stableNorm();
    return length > 0 ? length - (outward.beyond - rounding) / length : 0;
  }

  /// The pushing faces of polyhedral members, and halfspaces that the pushing curved ones lie in.
  Halfspaces tangents(const Seen& seen, const DualActiveSet& cuts, const Vector& z) const {
    const auto most = std::ssize(cuts.active()) + std::ssize(seen.members);
    Halfspaces found{Matrix(most, dim()), Vector(most)};
    Eigen::Index count = 0;
    for (Eigen::Index j = 0; j < std::ssize(cuts.active()); ++j) {
      if (!members_[cuts.active()[j]]->is_polyhedral()) continue;
      found.normals.row(count) = cuts.normals().col(j).transpose();
      found.offsets[count++] = cuts.offsets()[j];
    }
    for (Eigen::Index k = 0; k < std::ssize(seen.members); ++k) {
      const int member = seen.members[k];
      const auto push = seen.p.col(k);
      if (members_[member]->is_polyhedral() || push.isZero(0)) continue;
      // All points on the way out have the same nearest one. The push itself may end far beyond all numbers, or
      // within their rounding.
      Vector from = z + z.cwiseProduct(constrained_[member]).norm() * push.stableNormalized();
      Outward outward = members_[member]->outward(from);
      if (outward.vector.isZero(0)) outward = members_[member]->outward(from = z + push);
      if (outward.vector.isZero(0)) continue;
      const Cut tangent = supporting_cut(from, outward);
      found.normals.row(count) = tangent.normal.transpose();
      found.offsets[count++] = tangent.offset;
    }
    return {found.normals.topRows(count), found.offsets.head(count)};
  }

  /// z - Proj_k(z + p_k), one block a pushing member.
  Vector residual(const Seen& seen, const Vector& x) const {
    const Vector z = x - seen.total();
    Vector result(seen.p.size());
    for (Eigen::Index k = 0; k < std::ssize(seen.members); ++k)
      result.segment(k * dim(), dim()) = z - members_[seen.members[k]]->project(z + seen.p.col(k));
    return result;
  }

  /// The negative derivative of `residual` in the pushes: block (k, j) is I - DProj_k, plus DProj_k where j = k.
  Matrix newton_matrix(const Seen& seen, const Vector& z) const {
    const Eigen::Index count = std::ssize(seen.members);
    const Matrix identity = Matrix::Identity(dim(), dim());
    Matrix matrix(dim() * count, dim() * count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Matrix jacobian = members_[seen.members[k]]->jacobian_times(z + seen.p.col(k), identity);
      for (Eigen::Index j = 0; j < count; ++j) {
        matrix.block(k * dim(), j * dim(), dim(), dim()) = j == k ? identity : Matrix(identity - jacobian);
      }
    }
    return matrix;
  }

  /// A halfspace that a member lies in and a point does not.
  struct Cut {
    Vector normal;
    double offset = 0;
    double violation = 0;
    double size = 0;  // of the numbers that the violation is computed from
  };

  /// The halfspace that holds a member, seen from z, at its point nearest to z.
  static Cut supporting_cut(const Vector& z, const Outward& outward) {
    Cut cut;
    cut.violation = outward.vector.stableNorm();
    cut.normal = outward.vector / cut.violation;
    cut.offset = cut.normal.dot(z - outward.vector) + outward.beyond / cut.violation;
    return cut;
  }

  /// The cut of a member that the point breaks most. A polyhedral member's face says more than the halfspace at
  /// its nearest point.
  Cut worst_cut(int member, const Vector& z) const {
    Cut worst;
    const Halfspaces& faces = faces_[member];
    if (members_[member]->is_polyhedral()) {
      const Vector beyond = faces.normals * z - faces.offsets;
      Eigen::Index face = 0;
      if (beyond.size() == 0 || beyond.maxCoeff(&face) <= 0) return worst;
      worst = {faces.normals.row(face).transpose(), faces.offsets[face], beyond[face]};
      worst.size = worst.normal.cwiseAbs().dot(z.cwiseAbs()) + std::abs(worst.offset);
      return worst;
    }
    const Outward outward = members_[member]->outward(z);
    if (outward.vector.isZero(0)) return worst;
    worst = supporting_cut(z, outward);
    worst.size =
        z.cwiseAbs().cwiseMax((z - outward.vector).cwiseAbs()).cwiseProduct(constrained_[member]).norm();
    return worst;
  }

  /// Stage 1; halfspaces are known by the member they come from. Stops when no member is broken by more than
  /// `sharpness` of the size of its numbers. False when the intersection is empty.
  bool cut(DualActiveSet& cuts, double sharpness) const {
    double best = kInfinity;
    int best_step = 0;
    for (int step = 0; step < kMaxCuts; ++step) {
      Cut worst;
      int from = -1;
      for (int k = 0; k < static_cast<int>(members_.size()); ++k) {
        Cut found = worst_cut(k, cuts.point());
        if (found.violation <= std::max(worst.violation, sharpness * found.size)) continue;
        worst = std::move(found);
        from = k;
      }
      if (from < 0) return true;
      if (worst.violation < best) {
        best = worst.violation;
        best_step = step;
      }
      // Rounding can keep the cuts from their end: near it, they may also just stop getting better.
      if (step - best_step > kCutsWithoutGain && worst.violation <= kTouching * worst.size) return true;
      if (!cuts.enforce(worst.normal, worst.offset, from)) return false;
    }
    return true;
  }

  static constexpr double kSharp = 16 * kEpsilon;
  /// Members this near to each other, relative to the size of their numbers, share a point.
  static constexpr double kTouching = 1e-12;
  static constexpr int kCutsWithoutGain = 30;
  static constexpr int kNewtonSteps = 20;
  /// The first is at a point that is good to the pushes' rounding, the second at one that is good to its own.
  static constexpr int kTangentRounds = 2;
  /// Far more than any projection was seen to need; the outer polyhedron found by then still contains the set.
  static constexpr int kMaxCuts = 20000;

  std::vector<SetPtr> members_;
  std::vector<Halfspaces> faces_;    // of each member, normals of length 1; none for curved ones
  std::vector<Vector> constrained_;  // by each member
};

}  // namespace

SetPtr curved_intersection(std::vector<SetPtr> members) {
  return std::make_shared<CurvedIntersection>(std::move(members));
}

}  // namespace c2rl
