#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "c2rl/geometry/check.h"
#include "c2rl/geometry/dual_active_set.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class Polyhedron final : public ConvexSet {
 public:
  /// Rows of A have length 1; `names` are what the user calls them.
  Polyhedron(Matrix a, Vector lower, Vector upper, const std::vector<int>& names)
      : ConvexSet(static_cast<int>(a.cols())),
        a_(std::move(a)),
        lower_(std::move(lower)),
        upper_(std::move(upper)) {
    DualActiveSet projection(Vector::Zero(dim()));
    if (run(projection)) return;
    std::set<int> conflict;
    for (const int row : projection.conflict()) conflict.insert(names[row]);
    throw EmptySetError(
        fmt::format("the polyhedron is empty: rows {} cannot all hold", fmt::join(conflict, ", ")),
        {conflict.begin(), conflict.end()});
  }

  bool is_polyhedral() const override { return true; }

  Halfspaces halfspaces() const override {
    const auto finite = lower_.array().isFinite().count() + upper_.array().isFinite().count();
    Halfspaces faces{Matrix(finite, dim()), Vector(finite)};
    Eigen::Index face = 0;
    for (Eigen::Index i = 0; i < a_.rows(); ++i) {
      if (std::isfinite(upper_[i])) {
        faces.normals.row(face) = a_.row(i);
        faces.offsets[face++] = upper_[i];
      }
      if (std::isfinite(lower_[i])) {
        faces.normals.row(face) = -a_.row(i);
        faces.offsets[face++] = -lower_[i];
      }
    }
    return faces;
  }

 private:
  Vector compute_projection(const Vector& x) const override {
    DualActiveSet projection(x);
    run(projection);
    return projection.point();
  }

  Outward compute_outward(const Vector& x) const override {
    DualActiveSet projection(x);
    run(projection);
    return projection.sharp_outward();
  }

  /// Every row by itself, and the distance: where rows meet at a sharp angle it is more than they are broken by.
  double compute_excess(const Vector& x, const Vector& sizes) const override {
    DualActiveSet projection(x);
    run(projection);
    if (projection.active().empty()) return 0;
    double excess = projection.sharp_outward().vector.stableNorm();
    for (size_t k = 0; k < projection.offsets().size(); ++k) {
      const auto normal = projection.normals().col(static_cast<Eigen::Index>(k));
      excess -= kRounding * (normal.cwiseAbs().dot(sizes) + std::abs(projection.offsets()[k]));
    }
    const Vector values = a_ * x, numbers = a_.cwiseAbs() * sizes;
    for (Eigen::Index i = 0; i < a_.rows(); ++i) {
      const double bound = values[i] > upper_[i] ? upper_[i] : lower_[i];
      const double violation = std::max(values[i] - upper_[i], lower_[i] - values[i]);
      if (violation > 0) excess = std::max(excess, violation - kRounding * (numbers[i] + std::abs(bound)));
    }
    return std::max(0.0, excess);
  }

  Vector compute_constrained() const override {
    return (a_.cwiseAbs().colwise().maxCoeff().transpose().array() > 0).cast<double>();
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    DualActiveSet projection(x);
    run(projection);
    const auto& q = projection.active_basis();
    return directions - q * (q.transpose() * directions);
  }

  Bounds compute_bounds() const override {
    Bounds bounds = ConvexSet::compute_bounds();
    for (Eigen::Index row = 0; row < a_.rows(); ++row) {
      for (int i = 0; i < dim(); ++i) {
        const double sign = a_(row, i);
        if (std::abs(sign) != 1) continue;  // only a row along an axis bounds a coordinate by itself
        bounds.lower[i] = std::max(bounds.lower[i], sign > 0 ? lower_[row] : -upper_[row]);
        bounds.upper[i] = std::min(bounds.upper[i], sign > 0 ? upper_[row] : -lower_[row]);
      }
    }
    return bounds;
  }

  /// False when the set is empty.
  bool run(DualActiveSet& projection) const { return projection.enforce_all(a_, lower_, upper_); }

  Matrix a_;
  Vector lower_, upper_;
};

}  // namespace

SetPtr polyhedron(const Matrix& a, const Vector& lower, const Vector& upper) {
  check_finite(a, "polyhedron A");
  check_size(lower.size(), a.rows(), "polyhedron lower");
  check_size(upper.size(), a.rows(), "polyhedron upper");
  check_bounds(lower, "polyhedron lower");
  check_bounds(upper, "polyhedron upper");

  const Vector lengths = a.rowwise().norm();
  std::vector<int> names;  // of the rows that constrain anything
  for (int i = 0; i < a.rows(); ++i) {
    const bool never = lower[i] > upper[i] || lower[i] == kInfinity || upper[i] == -kInfinity;
    if (never || (lengths[i] == 0 && (lower[i] > 0 || upper[i] < 0))) {
      throw EmptySetError(fmt::format("the polyhedron is empty: row {} cannot hold", i), {i});
    }
    if (lengths[i] > 0) names.push_back(i);
  }
  const Vector used = lengths(names);
  return std::make_shared<Polyhedron>(used.cwiseInverse().asDiagonal() * a(names, Eigen::all),
                                      lower(names).cwiseQuotient(used), upper(names).cwiseQuotient(used),
                                      names);
}

}  // namespace c2rl
