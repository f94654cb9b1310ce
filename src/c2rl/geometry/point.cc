#include "c2rl/geometry/check.h"
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
  Matrix compute_jacobian_times(const Vector&, const Matrix& directions) const override {
    return Matrix::Zero(dim(), directions.cols());
  }
  Bounds compute_bounds() const override { return {p_, p_}; }

  Vector p_;
};

}  // namespace

SetPtr point(Vector p) {
  check_finite(p, "point");
  return std::make_shared<Point>(std::move(p));
}

}  // namespace c2rl
