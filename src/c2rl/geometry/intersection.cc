#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/decompositions.h"
#include "c2rl/geometry/check.h"
#include "c2rl/geometry/dual_active_set.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// At least one member is curved. Two stages:
///
/// 1. Cuts. The dual active-set method gets the most violated halfspace (a face of a polyhedral member, or the
///    supporting halfspace of a curved one at its nearest point) until nothing is violated. Since halfspaces
///    are outer approximations, failing to satisfy them all proves that the intersection is empty.
/// 2. Newton. Where the curved members bend, cuts find the point only to the square root of the tolerance.
///    The point z is the projection of x when it is the nearest point of every member k that pushes, seen from
///    z + p_k, the pushes adding up to x - z:   z = x - sum p_j,   z = Proj_k(z + p_k).   The cuts give p;
///    Newton does the rest.
class Intersection final : public ConvexSet {
 public:
  explicit Intersection(std::vector<SetPtr> members)
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
  /// What members do to a point: each pushes it by a vector, and those together move it into the
  /// intersection.
  struct Pushes {
    std::vector<int> members;
    Matrix p;  // one column a member
    Vector total() const { return p.rowwise().sum(); }
  };

  Vector compute_projection(const Vector& x) const override { return x - find_pushes(x).total(); }

  /// No member reaches farther along its push than to its own point nearest to where it pushes from, so the
  /// intersection reaches no farther along all of them than those do together.
  Outward compute_outward(const Vector& x) const override {
    const Pushes pushes = find_pushes(x);
    const Vector z = x - pushes.total();
    Outward result{pushes.total(), pushes.p.cwiseAbs().rowwise().sum()};
    for (size_t k = 0; k < pushes.members.size(); ++k) {
      const auto push = pushes.p.col(static_cast<Eigen::Index>(k));
      result.beyond += push.dot(members_[pushes.members[k]]->project(z + push) - z);
    }
    result.beyond = std::max(0.0, result.beyond);
    return result;
  }

  /// Every member by itself, and the distance: where members meet at a sharp angle it is more than theirs.
  double compute_excess(const Vector& x, const Vector& sizes) const override {
    const Pushes pushes = find_pushes(x);
    const Vector numbers = sizes + (x - pushes.total()).cwiseAbs();
    double excess = pushes.total().stableNorm();
    for (const int k : pushes.members) excess -= kRounding * numbers.cwiseProduct(constrained_[k]).norm();
    for (const SetPtr& member : members_) excess = std::max(excess, member->excess(x, sizes));
    return std::max(0.0, excess);
  }

  Vector compute_constrained() const override {
    Vector result = Vector::Zero(dim());
    for (const Vector& member : constrained_) result = result.cwiseMax(member);
    return result;
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    const Pushes pushes = find_pushes(x);
    if (pushes.members.empty()) return directions;
    // Moving x by d changes the pushes as an error of (I - DProj_k) d in equation k would.
    const Vector z = x - pushes.total();
    const Eigen::Index count = std::ssize(pushes.members);
    Matrix right(dim() * count, directions.cols());
    for (Eigen::Index k = 0; k < count; ++k) {
      const Vector from = z + pushes.p.col(k);
      right.middleRows(k * dim(), dim()) =
          directions - members_[pushes.members[k]]->jacobian_times(from, directions);
    }
    const Matrix change = least_norm_solution(newton_matrix(pushes, z), right);
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
    std::vector<SetPtr> eroded;
    eroded.reserve(members_.size());
    for (const SetPtr& member : members_) eroded.push_back(member->eroded(half_widths));
    return intersection(std::move(eroded));
  }

  Pushes find_pushes(const Vector& x) const {
    DualActiveSet cuts(x);
    cut(cuts, kSharp);
    Pushes pushes;
    const std::set<int> pushing(cuts.active().begin(), cuts.active().end());
    pushes.members.assign(pushing.begin(), pushing.end());
    const Eigen::Index count = std::ssize(pushes.members);
    pushes.p.resize(dim(), count);
    for (Eigen::Index k = 0; k < count; ++k) pushes.p.col(k) = cuts.push(pushes.members[k]);

    double error = residual(pushes, x).norm();
    for (int step = 0; step < kNewtonSteps && error > 0; ++step) {
      Pushes next = pushes;
      const Vector change =
          least_norm_solution(newton_matrix(pushes, x - pushes.total()), residual(pushes, x));
      for (Eigen::Index k = 0; k < count; ++k) next.p.col(k) += change.segment(k * dim(), dim());
      const double next_error = residual(next, x).norm();
      if (next_error >= error) break;
      pushes = std::move(next);
      error = next_error;
    }
    // What rounding left in coordinates that a member does not constrain would meet numbers of any size there.
    for (Eigen::Index k = 0; k < count; ++k)
      pushes.p.col(k).array() *= constrained_[pushes.members[k]].array();
    return pushes;
  }

  /// z - Proj_k(z + p_k), one block a pushing member.
  Vector residual(const Pushes& pushes, const Vector& x) const {
    const Vector z = x - pushes.total();
    Vector result(pushes.p.size());
    for (size_t k = 0; k < pushes.members.size(); ++k) {
      const Eigen::Index column = static_cast<Eigen::Index>(k);
      result.segment(column * dim(), dim()) =
          z - members_[pushes.members[k]]->project(z + pushes.p.col(column));
    }
    return result;
  }

  /// The negative derivative of `residual` in the pushes: block (k, j) is I - DProj_k, plus DProj_k where
  /// j = k.
  Matrix newton_matrix(const Pushes& pushes, const Vector& z) const {
    const Eigen::Index count = std::ssize(pushes.members);
    const Matrix identity = Matrix::Identity(dim(), dim());
    Matrix matrix(dim() * count, dim() * count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Matrix jacobian = members_[pushes.members[k]]->jacobian_times(z + pushes.p.col(k), identity);
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
    worst.violation = outward.vector.stableNorm();
    if (worst.violation == 0) return worst;
    const Vector nearest = z - outward.vector;
    worst.normal = outward.vector / worst.violation;
    worst.offset = worst.normal.dot(nearest);
    worst.size = z.cwiseAbs().cwiseMax(nearest.cwiseAbs()).cwiseProduct(constrained_[member]).norm();
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
  /// Far more than any projection was seen to need; the outer polyhedron found by then still contains the
  /// set.
  static constexpr int kMaxCuts = 20000;

  std::vector<SetPtr> members_;
  std::vector<Halfspaces> faces_;    // of each member, normals of length 1; none for curved ones
  std::vector<Vector> constrained_;  // by each member
};

/// All members polyhedral: one polyhedron of all their faces.
SetPtr polyhedral_intersection(const std::vector<SetPtr>& members) {
  const int dim = members[0]->dim();
  Matrix normals(0, dim);
  Vector offsets(0);
  std::vector<int> owners;
  for (size_t k = 0; k < members.size(); ++k) {
    const Halfspaces faces = members[k]->halfspaces();
    const Eigen::Index before = offsets.size(), added = faces.offsets.size();
    normals.conservativeResize(before + added, dim);
    offsets.conservativeResize(before + added);
    normals.bottomRows(added) = faces.normals;
    offsets.tail(added) = faces.offsets;
    owners.insert(owners.end(), static_cast<size_t>(added), static_cast<int>(k));
  }
  if (offsets.size() == 0) return members[0];  // no face at all: the whole space
  try {
    return polyhedron(normals, Vector::Constant(offsets.size(), -kInfinity), offsets);
  } catch (const EmptySetError& error) {
    std::set<int> conflict;
    for (const int row : error.conflict) conflict.insert(owners[row]);
    throw EmptySetError(
        fmt::format("the intersection is empty: members {} share no point", fmt::join(conflict, ", ")),
        {conflict.begin(), conflict.end()});
  }
}

}  // namespace

SetPtr intersection(std::vector<SetPtr> members) {
  check(!members.empty(), "intersection", "at least one member");
  for (size_t k = 0; k < members.size(); ++k) {
    check_size(members[k]->dim(), members[0]->dim(), fmt::format("intersection member {}", k));
  }
  const auto polyhedral = [](const SetPtr& member) { return member->is_polyhedral(); };
  if (std::all_of(members.begin(), members.end(), polyhedral)) return polyhedral_intersection(members);
  return std::make_shared<Intersection>(std::move(members));
}

}  // namespace c2rl
