#include "c2rl/geometry/check.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class SecondOrderCone final : public ConvexSet {
 public:
  explicit SecondOrderCone(int dim) : ConvexSet(dim) {}

 private:
  Vector compute_projection(const Vector& x) const override {
    const int n = dim() - 1;
    const double length = x.head(n).norm(), height = x[n];
    if (length <= height) return x;
    if (length <= -height) return Vector::Zero(dim());
    const double half = (length + height) / 2;
    Vector p(dim());
    p << x.head(n) * (half / length), half;
    return p;
  }

  Outward compute_outward(const Vector& x) const override {
    const int n = dim() - 1;
    const double length = x.head(n).norm(), height = x[n];
    if (length <= height) return {Vector::Zero(dim()), Vector::Zero(dim())};
    if (length <= -height) return {x, x.cwiseAbs()};
    const double half = (length - height) / 2;
    Vector vector(dim());
    vector << x.head(n) * (half / length), -half;
    return {vector, vector.cwiseAbs()};
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    const int n = dim() - 1;
    const double length = x.head(n).norm(), height = x[n];
    if (length <= height) return directions;
    if (length <= -height) return Matrix::Zero(dim(), directions.cols());
    const Vector u = x.head(n) / length;
    const double ratio = height / length;
    const Eigen::RowVectorXd along = u.transpose() * directions.topRows(n);
    const Eigen::RowVectorXd up = directions.row(n);
    Matrix result(dim(), directions.cols());
    result.topRows(n) = 0.5 * ((1 + ratio) * directions.topRows(n) + u * (up - ratio * along));
    result.row(n) = 0.5 * (along + up);
    return result;
  }

  Bounds compute_bounds() const override {
    Bounds bounds = ConvexSet::compute_bounds();
    bounds.lower[dim() - 1] = 0;
    return bounds;
  }

  SetPtr compute_eroded(const Vector& half_widths) const override {
    const int n = dim() - 1;
    return transformed(shared_from_this(),
                       (half_widths[n] + half_widths.head(n).norm()) * Vector::Unit(dim(), n), 1);
  }
};

struct SecondOrderConeOptions {
  void visit(OptionVisitor& /*visitor*/) {}
};

}  // namespace

SetPtr second_order_cone(int dim) {
  check(dim >= 2, "second-order cone dimension", "a number that is at least 2");
  return std::make_shared<SecondOrderCone>(dim);
}

SetKind second_order_cone_kind() {
  return set_kind<SecondOrderConeOptions>(
      "second-order-cone", "the last measurement at least the norm of the others",
      [](const SecondOrderConeOptions& /*options*/, int dim) { return second_order_cone(dim); });
}

}  // namespace c2rl
