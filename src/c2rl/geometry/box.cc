#include <cmath>

#include <fmt/format.h>

#include "c2rl/geometry/check.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class Box final : public ConvexSet {
 public:
  Box(Vector lower, Vector upper)
      : ConvexSet(static_cast<int>(lower.size())), lower_(std::move(lower)), upper_(std::move(upper)) {}

  bool is_polyhedral() const override { return true; }

  Halfspaces halfspaces() const override {
    const auto finite = (lower_.array().isFinite().count() + upper_.array().isFinite().count());
    Halfspaces faces{Matrix::Zero(finite, dim()), Vector(finite)};
    Eigen::Index row = 0;
    for (int i = 0; i < dim(); ++i) {
      if (std::isfinite(upper_[i])) {
        faces.normals(row, i) = 1;
        faces.offsets[row++] = upper_[i];
      }
      if (std::isfinite(lower_[i])) {
        faces.normals(row, i) = -1;
        faces.offsets[row++] = -lower_[i];
      }
    }
    return faces;
  }

 private:
  Vector compute_projection(const Vector& x) const override { return x.cwiseMax(lower_).cwiseMin(upper_); }

  /// Every coordinate has bounds of its own.
  double compute_excess(const Vector& x, const Vector& sizes) const override {
    const Vector nearest = compute_projection(x);
    const Vector rounding = kRounding * (sizes + nearest.cwiseAbs());
    return ((x - nearest).cwiseAbs() - rounding).cwiseMax(0.0).stableNorm();
  }

  Vector compute_constrained() const override {
    return (lower_.array().isFinite() || upper_.array().isFinite()).cast<double>();
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    const auto inside = (x.array() >= lower_.array() && x.array() <= upper_.array());
    return inside.cast<double>().matrix().asDiagonal() * directions;
  }

  Bounds compute_bounds() const override { return {lower_, upper_}; }

  SetPtr compute_eroded(const Vector& half_widths) const override {
    return box(lower_ + half_widths, upper_ - half_widths);
  }

  Vector lower_, upper_;
};

struct BoxOptions {
  Vector lower, upper;

  void visit(OptionVisitor& visitor) {
    visitor.vector("lower", lower, "a number per measurement; -inf where there is no bound",
                   OptionVisitor::kRequired);
    visitor.vector("upper", upper, "a number per measurement; inf where there is no bound",
                   OptionVisitor::kRequired);
  }
};

}  // namespace

SetPtr box(Vector lower, Vector upper) {
  check(lower.size() > 0, "box lower", "at least one number");
  check_size(upper.size(), lower.size(), "box upper");
  check_bounds(lower, "box lower");
  check_bounds(upper, "box upper");
  for (Eigen::Index i = 0; i < lower.size(); ++i) {
    if (lower[i] > upper[i] || lower[i] == kInfinity || upper[i] == -kInfinity) {
      throw EmptySetError(fmt::format("the box is empty: coordinate {} must be at least {} and at most {}", i,
                                      lower[i], upper[i]),
                          {static_cast<int>(i)});
    }
  }
  return std::make_shared<Box>(std::move(lower), std::move(upper));
}

SetKind box_kind() {
  return set_kind<BoxOptions>("box", "between bounds", [](const BoxOptions& options, int dim) {
    check_one_per_measurement(options.lower, dim, "lower");
    check_one_per_measurement(options.upper, dim, "upper");
    return box(options.lower, options.upper);
  });
}

}  // namespace c2rl
