#include <cmath>

#include "c2rl/base/decompositions.h"
#include "c2rl/geometry/check.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// {x : |A x - b| <= radius} in the axes of A: with A = U diag(sigma) V', y = V'x and e = y - center it reads
/// sum sigma_i^2 e_i^2 <= reach^2; directions outside V are free.
class Ellipsoid final : public ConvexSet {
 public:
  Ellipsoid(Matrix axes, Vector sigma, Vector center, double reach)
      : ConvexSet(static_cast<int>(axes.rows())),
        axes_(std::move(axes)),
        squares_(sigma.array().square()),
        center_(std::move(center)),
        reach_(reach) {}

 private:
  Vector compute_projection(const Vector& x) const override {
    const Vector e = axes_.transpose() * x - center_;
    const double multiplier = find_multiplier(e);
    if (multiplier == 0) return x;
    return x + axes_ * (shrink(e, multiplier) - e);
  }

  Outward compute_outward(const Vector& x) const override {
    const Vector e = axes_.transpose() * x - center_;
    const double multiplier = find_multiplier(e);
    Vector along = e;  // e - shrink(e, multiplier), as one product
    if (std::isfinite(multiplier)) along.array() *= multiplier * squares_ / (1 + multiplier * squares_);
    return {axes_ * along, axes_.cwiseAbs() * along.cwiseAbs()};
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    const Vector e = axes_.transpose() * x - center_;
    const double multiplier = find_multiplier(e);
    if (multiplier == 0) return directions;
    // Differentiate (I + nu D) p = e together with p'D p = reach^2.
    const Matrix along = axes_.transpose() * directions;
    Matrix moved = Matrix::Zero(along.rows(), along.cols());
    if (std::isfinite(multiplier)) {
      const Vector factor = (1 + multiplier * squares_).inverse();
      const Vector normal = squares_ * shrink(e, multiplier).array();
      const Vector scaled_normal = factor.cwiseProduct(normal);
      const double curvature = normal.dot(scaled_normal);
      moved = factor.asDiagonal() * along;
      moved -= scaled_normal * ((scaled_normal.transpose() * along) / curvature);
    }
    return directions + axes_ * (moved - along);
  }

  Bounds compute_bounds() const override {
    Bounds bounds = ConvexSet::compute_bounds();
    if (axes_.cols() < dim()) return bounds;  // a cylinder: unbounded along its free directions
    const Vector middle = axes_ * center_;
    const Vector spread =
        reach_ * ((axes_.array().square().matrix() * squares_.inverse().matrix()).cwiseSqrt());
    return {middle - spread, middle + spread};
  }

  SetPtr compute_eroded(const Vector& half_widths) const override {
    // No corner is longer, in the ellipsoid's measure, than the sum of its sides' parts along each axis.
    const Vector sides = axes_.cwiseAbs().transpose() * half_widths;
    const double reach = reach_ - std::sqrt((squares_ * sides.array().square()).sum());
    if (reach < 0) throw EmptySetError("the ellipsoid is smaller than the box", {});
    return std::make_shared<Ellipsoid>(axes_, squares_.sqrt(), center_, reach);
  }

  Vector shrink(const Vector& e, double multiplier) const {
    if (!std::isfinite(multiplier)) return Vector::Zero(e.size());
    return e.array() / (1 + multiplier * squares_);
  }

  /// nu >= 0 with sum sigma_i^2 (e_i / (1 + nu sigma_i^2))^2 = reach^2; 0 when e is inside.
  double find_multiplier(const Vector& e) const {
    const auto length = [&](double nu) {
      return std::sqrt((squares_ * (e.array() / (1 + nu * squares_)).square()).sum());
    };
    if (length(0) <= reach_) return 0;
    if (reach_ == 0) return kInfinity;
    // 1/length is concave and increasing in nu, so Newton on 1/length = 1/reach rises to the root from the
    // left.
    double nu = 0;
    for (int i = 0; i < kNewtonSteps; ++i) {
      const double l = length(nu);
      const Eigen::ArrayXd damped = 1 + nu * squares_;
      const double slope = (squares_.square() * e.array().square() / damped.cube()).sum() / l;  // -dl/dnu
      const double step = (l / reach_ - 1) * l / slope;
      nu += step;
      if (step <= kEpsilon * nu) break;
    }
    return nu;
  }

  static constexpr int kNewtonSteps = 100;

  Matrix axes_;             // V: orthonormal columns, one per non-zero singular value
  Eigen::ArrayXd squares_;  // sigma^2
  Vector center_;
  double reach_;
};

}  // namespace

SetPtr ellipsoid(const Matrix& a, const Vector& b, double radius) {
  check_finite(a, "ellipsoid A");
  check_size(b.size(), a.rows(), "ellipsoid b");
  check_finite(b, "ellipsoid b");
  check(radius >= 0 && radius <= kLargestNumber, "ellipsoid radius", "a number from 0 to 1e100");

  const auto [u, v, sigma] = singular_values(a);
  check(sigma.size() > 0, "ellipsoid A", "a matrix that is not zero");
  const Vector along = u.transpose() * b;
  // The part of b that A cannot reach is a fixed contribution to the norm.
  const double fixed = (b - u * along).norm();
  if (fixed > radius * (1 + 16 * kEpsilon) + 16 * kEpsilon * b.norm()) {
    throw EmptySetError("the ellipsoid is empty: no point brings the norm below " + std::to_string(fixed),
                        {0});
  }
  const double reach = std::sqrt(std::max(0.0, (radius - fixed) * (radius + fixed)));
  return std::make_shared<Ellipsoid>(v, sigma, along.cwiseQuotient(sigma), reach);
}

}  // namespace c2rl
