#include <algorithm>
#include <functional>

#include "c2rl/geometry/check.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

class Simplex final : public ConvexSet {
 public:
  Simplex(int dim, double total) : ConvexSet(dim), total_(total) {}

  bool is_polyhedral() const override { return true; }
  Halfspaces halfspaces() const override {
    Halfspaces faces{Matrix(dim() + 2, dim()), Vector::Zero(dim() + 2)};
    faces.normals << -Matrix::Identity(dim(), dim()), Matrix::Constant(1, dim(), 1),
        Matrix::Constant(1, dim(), -1);
    faces.offsets.tail(2) << total_, -total_;
    return faces;
  }

 private:
  Vector compute_projection(const Vector& x) const override {
    return (x.array() - threshold(x)).cwiseMax(0.0);
  }

  Outward compute_outward(const Vector& x) const override {
    const Vector vector = x.array().min(threshold(x));
    return {vector, vector.cwiseAbs()};
  }

  Matrix compute_jacobian_times(const Vector& x, const Matrix& directions) const override {
    const Vector support = (x.array() > threshold(x)).cast<double>();
    const Eigen::RowVectorXd mean = (support.transpose() * directions) / std::max(1.0, support.sum());
    return support.asDiagonal() * (directions.rowwise() - mean);
  }

  Bounds compute_bounds() const override { return {Vector::Zero(dim()), Vector::Constant(dim(), total_)}; }

  /// t with sum max(0, x_i - t) = total.
  double threshold(const Vector& x) const {
    Vector sorted = x;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    // Relative to the largest entry, so that a large common offset costs no digits.
    const double top = sorted[0];
    double sum = 0, t = 0;
    for (Eigen::Index k = 0; k < sorted.size(); ++k) {
      sum += sorted[k] - top;
      const double candidate = (sum - total_) / static_cast<double>(k + 1);
      if (k > 0 && sorted[k] - top <= candidate) break;
      t = candidate;
    }
    return top + t;
  }

  double total_;
};

struct SimplexOptions {
  double total = 1;

  void visit(OptionVisitor& visitor) {
    visitor.number("total", total, above(0), "what the measurements sum to");
  }
};

}  // namespace

SetPtr simplex(int dim, double total) {
  check(dim > 0, "simplex dimension", "a number above 0");
  check(std::isfinite(total) && total > 0, "simplex total", "a finite number above 0");
  return std::make_shared<Simplex>(dim, total);
}

SetKind simplex_kind() {
  return set_kind<SimplexOptions>(
      "simplex", "non-negative with a fixed sum",
      [](const SimplexOptions& options, int dim) { return simplex(dim, options.total); });
}

}  // namespace c2rl
