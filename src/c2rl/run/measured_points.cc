#include "c2rl/run/measured_points.h"

#include <algorithm>
#include <limits>

#include "c2rl/base/decompositions.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/run/evaluation.h"

namespace c2rl {
namespace {

/// The coordinates of the safe problem, row by row.
class SafeRows {
 public:
  explicit SafeRows(const Region& region) : region_(region) {}

  void add(const LinearRange& range) {
    const double length = range.normal.stableNorm();
    const Vector normal = range.normal / length;
    const Eigen::RowVectorXd value = normal.transpose() * region_.points;
    const Eigen::RowVectorXd width = normal.cwiseAbs().transpose() * region_.half_widths;
    const double lower = range.lower / length, upper = range.upper / length;
    if (width.maxCoeff() == 0) return add_row(value, lower, upper);
    if (upper < kInfinity) add_row(value + width, -kInfinity, upper);
    if (lower > -kInfinity) add_row(value - width, lower, kInfinity);
  }

  void add_free(const Eigen::RowVectorXd& values) { add_row(values, -kInfinity, kInfinity); }

  /// The box of A x is inside the ball around it whose radius is the length of its half-widths.
  void add(const NormBound& norm) {
    const double scale = spectral_norm(norm.a);
    const Matrix a = norm.a / scale;
    const Eigen::RowVectorXd width = (a.cwiseAbs() * region_.half_widths).colwise().norm();
    Matrix cone(a.rows() + 1, region_.points.cols());
    cone << (a * region_.points).colwise() - norm.b / scale, norm.radius / scale - width.array();
    cones_.push_back(cone);
  }

  /// Cones first, so that the last row added is the last coordinate.
  SafeProblem problem() const {
    Eigen::Index rows = std::ssize(values_);
    for (const Matrix& cone : cones_) rows += cone.rows();
    SafeProblem result{nullptr, Matrix(rows, region_.points.cols())};
    std::vector<SetPtr> blocks;
    Eigen::Index row = 0;
    for (const Matrix& cone : cones_) {
      result.points.middleRows(row, cone.rows()) = cone;
      blocks.push_back(second_order_cone(static_cast<int>(cone.rows())));
      row += cone.rows();
    }
    for (const Eigen::RowVectorXd& values : values_) result.points.row(row++) = values;
    if (!values_.empty()) {
      blocks.push_back(box(Eigen::Map<const Vector>(lower_.data(), std::ssize(lower_)),
                           Eigen::Map<const Vector>(upper_.data(), std::ssize(upper_))));
    }
    result.set = blocks.size() == 1 ? blocks[0] : product(std::move(blocks));
    return result;
  }

 private:
  void add_row(const Eigen::RowVectorXd& values, double lower, double upper) {
    values_.push_back(values);
    lower_.push_back(lower);
    upper_.push_back(upper);
  }

  const Region& region_;
  std::vector<Eigen::RowVectorXd> values_;
  std::vector<double> lower_, upper_;
  std::vector<Matrix> cones_;
};

}  // namespace

std::optional<Region> region_of(const Points& points, const Target& target,
                                const std::optional<Vector>& uphill, double level) {
  if (!points.has_standard_errors) return std::nullopt;
  Vector matters = target.set->constrained();
  if (uphill) matters = matters.cwiseMax((uphill->array() != 0).cast<double>().matrix());
  const Matrix errors = matters.asDiagonal() * points.standard_errors;
  const Eigen::Index entries = (errors.array() > 0).count();
  if (entries == 0) return std::nullopt;
  const auto count = std::min<Eigen::Index>(entries, std::numeric_limits<int>::max());
  return Region{points.values, simultaneous_quantile(level, static_cast<int>(count)) * errors, level};
}

SafeProblem safe_problem(const Region& region, const Target& target, const std::optional<Vector>& uphill) {
  SafeRows rows(region);
  for (const Constraint& constraint : target.constraints) {
    for (const NormBound& norm : constraint.norms) rows.add(norm);
    for (const LinearRange& range : constraint.ranges) rows.add(range);
  }
  if (uphill) {
    rows.add_free(uphill->transpose() * region.points - uphill->cwiseAbs().transpose() * region.half_widths);
  }
  return rows.problem();
}

double lowest(const Region& region, const Vector& direction) {
  return (direction.transpose() * region.points - direction.cwiseAbs().transpose() * region.half_widths)
      .minCoeff();
}

void run_over_boxes(const Region& region, Solver& solver) {
  while (const auto direction = solver.ask()) {
    Eigen::Index best = 0;
    (direction->transpose() * region.points - direction->cwiseAbs().transpose() * region.half_widths)
        .minCoeff(&best);
    const Vector signs = direction->cwiseSign();
    solver.tell(
        {.point = region.points.col(best) - signs.cwiseProduct(Vector(region.half_widths.col(best)))});
  }
}

}  // namespace c2rl
