#include "c2rl/geometry/check.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class Point final : public ConvexSet {
 public:
  explicit Point(Vector p) : ConvexSet(static_cast<int>(p.size())), p_(std::move(p)) {}
  bool is_polyhedral() const override { return true; }
  Halfspaces halfspaces() const override { return box(p_, p_)->halfspaces(); }

 private:
  Vector compute_projection(const Vector&) const override { return p_; }
  double compute_excess(const Vector& x, const Vector& sizes) const override {
    return box(p_, p_)->excess(x, sizes);
  }
  Matrix compute_jacobian_times(const Vector&, const Matrix& directions) const override {
    return Matrix::Zero(dim(), directions.cols());
  }
  Bounds compute_bounds() const override { return {p_, p_}; }

  Vector p_;
};

struct PointOptions {
  Vector at;

  void visit(OptionVisitor& visitor) {
    visitor.vector("at", at, "a number per measurement", OptionVisitor::kRequired);
  }
};

}  // namespace

SetPtr point(Vector p) {
  check_finite(p, "point");
  return std::make_shared<Point>(std::move(p));
}

SetKind point_kind() {
  return set_kind<PointOptions>("point", "exactly these values", [](const PointOptions& options, int dim) {
    check_one_per_measurement(options.at, dim, "at");
    return point(options.at);
  });
}

}  // namespace c2rl
