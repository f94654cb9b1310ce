#include "c2rl/geometry/check.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class Transformed final : public ConvexSet {
 public:
  Transformed(SetPtr set, Vector shift, double scale)
      : ConvexSet(set->dim()), set_(std::move(set)), shift_(std::move(shift)), scale_(scale) {}

  bool is_polyhedral() const override { return set_->is_polyhedral(); }
  Halfspaces halfspaces() const override {
    const Halfspaces inner = set_->halfspaces();
    return {inner.normals, scale_ * inner.offsets + inner.normals * shift_};
  }

 private:
  Vector compute_projection(const Vector& x) const override {
    return shift_ + scale_ * set_->project((x - shift_) / scale_);
  }
  Outward compute_outward(const Vector& x) const override {
    const Outward inner = set_->outward((x - shift_) / scale_);
    return {scale_ * inner.vector, scale_ * inner.gross, scale_ * scale_ * inner.beyond};
  }
  double compute_excess(const Vector& x, const Vector& sizes) const override {
    return scale_ * set_->excess((x - shift_) / scale_, (sizes + shift_.cwiseAbs()) / scale_);
  }
  Vector compute_constrained() const override { return set_->constrained(); }
  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    return set_->jacobian_times((x - shift_) / scale_, directions);
  }
  Bounds compute_bounds() const override {
    const Bounds inner = set_->bounds();
    return {shift_ + scale_ * inner.lower, shift_ + scale_ * inner.upper};
  }

  SetPtr compute_eroded(const Vector& half_widths) const override {
    return transformed(set_->eroded(half_widths / scale_), shift_, scale_);
  }

  SetPtr set_;
  Vector shift_;
  double scale_;
};

}  // namespace

SetPtr transformed(SetPtr set, Vector shift, double scale) {
  check_size(shift.size(), set->dim(), "transform shift");
  check_finite(shift, "transform shift");
  check(std::isfinite(scale) && scale > 0, "transform scale", "a finite number above 0");
  return std::make_shared<Transformed>(std::move(set), std::move(shift), scale);
}

}  // namespace c2rl
