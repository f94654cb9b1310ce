#include "c2rl/geometry/target.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

bool is_axis(const LinearRange& range) {
  return (range.normal.array() != 0).count() == 1;
}

/// Rows are divided by their largest coefficient, so that no square of one overflows or vanishes.
double largest(const Matrix& coefficients) {
  return coefficients.cwiseAbs().maxCoeff();
}

SetPtr make_box(const std::vector<LinearRange>& ranges, int dim) {
  std::vector<LinearRange> sides(static_cast<size_t>(dim));
  for (const LinearRange& range : ranges) {
    Eigen::Index axis = 0;
    const double coefficient = range.normal.cwiseAbs().maxCoeff(&axis);
    const double sign = range.normal(axis) > 0 ? 1 : -1;
    const double a = sign * range.lower / coefficient, b = sign * range.upper / coefficient;
    if (!sides[static_cast<size_t>(axis)].narrow(std::min(a, b), std::max(a, b))) {
      throw EmptySetError("the bounds of a coordinate cross", {static_cast<int>(axis)});
    }
  }
  Vector lower(dim), upper(dim);
  for (int i = 0; i < dim; ++i) {
    lower(i) = sides[static_cast<size_t>(i)].lower;
    upper(i) = sides[static_cast<size_t>(i)].upper;
  }
  return box(std::move(lower), std::move(upper));
}

SetPtr make_polyhedron(const std::vector<LinearRange>& ranges, int dim) {
  const auto rows = static_cast<Eigen::Index>(ranges.size());
  Matrix a(rows, dim);
  Vector lower(rows), upper(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const LinearRange& range = ranges[static_cast<size_t>(i)];
    const double scale = largest(range.normal);
    a.row(i) = range.normal / scale;
    lower(i) = range.lower / scale;
    upper(i) = range.upper / scale;
  }
  return polyhedron(a, lower, upper);
}

SetPtr make_norm_set(const NormBound& norm) {
  // Over the measurements that it names only: the size of another one is nothing to it.
  std::vector<int> named;
  for (int i = 0; i < norm.a.cols(); ++i) {
    if ((norm.a.col(i).array() != 0).any()) named.push_back(i);
  }
  const double scale = largest(norm.a);
  const Matrix a = norm.a(Eigen::all, named) / scale;
  const Vector b = norm.b / scale;
  const double radius = norm.radius / scale;
  // Signs and order of a norm's arguments do not matter: norm(2 - b, a - 1) is as round as
  // norm(a - 1, b - 2).
  const bool is_rotation = a.rows() == a.cols() && (a.transpose() * a).isIdentity(0);
  SetPtr set = is_rotation ? ball(a.transpose() * b, radius) : ellipsoid(a, b, radius);
  return over_coordinates(std::move(set), std::move(named), static_cast<int>(norm.a.cols()));
}

void check_dim(const Constraint& constraint, int dim) {
  const bool fits = std::all_of(constraint.ranges.begin(), constraint.ranges.end(),
                                [&](auto& r) { return r.normal.size() == dim; }) &&
                    std::all_of(constraint.norms.begin(), constraint.norms.end(),
                                [&](auto& n) { return n.a.cols() == dim; });
  if (!fits)
    throw std::invalid_argument(fmt::format("\"{}\" is not over {} measurements", constraint.text, dim));
}

SetPtr intersection_of(std::vector<SetPtr> members) {
  return members.size() == 1 ? members.front() : intersection(std::move(members));
}

/// Throws EmptySetError when no point satisfies all of them.
Target make_parts(const std::vector<Constraint>& constraints, int dim) {
  std::vector<LinearRange> ranges;
  std::vector<SetPtr> members;
  Eigen::RowVectorXd used = Eigen::RowVectorXd::Zero(dim);
  for (const Constraint& constraint : constraints) {
    check_dim(constraint, dim);
    ranges.insert(ranges.end(), constraint.ranges.begin(), constraint.ranges.end());
    for (const NormBound& norm : constraint.norms) {
      members.push_back(make_norm_set(norm));
      used += norm.a.cwiseAbs().colwise().sum();
    }
  }
  Target target;
  target.flat = {Matrix(0, dim), Vector(0)};
  if (!members.empty()) target.curved = intersection_of(members);
  for (int i = 0; i < dim; ++i) {
    if (used[i] > 0) target.curved_over.push_back(i);
  }
  if (!ranges.empty() || members.empty()) {
    const bool axes_only = std::all_of(ranges.begin(), ranges.end(), is_axis);
    members.push_back(axes_only ? make_box(ranges, dim) : make_polyhedron(ranges, dim));
    target.flat = members.back()->halfspaces();
  }
  target.set = intersection_of(std::move(members));
  return target;
}

bool is_empty(const std::vector<Constraint>& constraints, int dim) {
  try {
    make_parts(constraints, dim);
    return false;
  } catch (const EmptySetError&) {
    return true;
  }
}

/// What is left after leaving out, one by one, every constraint without which the rest is still empty.
std::vector<Constraint> smallest_conflict(std::vector<Constraint> constraints, int dim) {
  for (size_t i = 0; i < constraints.size();) {
    std::vector<Constraint> others = constraints;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_empty(others, dim)) {
      constraints = std::move(others);
    } else {
      ++i;
    }
  }
  return constraints;
}

std::string conflict_message(const std::vector<Constraint>& conflict) {
  std::vector<std::string> quoted;
  quoted.reserve(conflict.size());
  for (const Constraint& constraint : conflict) quoted.push_back('"' + constraint.text + '"');
  if (quoted.size() == 1) return fmt::format("the target is empty: {} cannot hold", quoted.front());
  const std::string last = quoted.back();
  quoted.pop_back();
  return fmt::format("the target is empty: {} and {} cannot {} hold", join(quoted, ", "), last,
                     quoted.size() == 1 ? "both" : "all");
}

}  // namespace

Target make_target(std::vector<std::string> names, std::vector<Constraint> constraints) {
  const int dim = static_cast<int>(names.size());
  Target target;
  try {
    target = make_parts(constraints, dim);
  } catch (const EmptySetError&) {
    throw InputError(conflict_message(smallest_conflict(constraints, dim)));
  }
  target.names = std::move(names);
  target.constraints = std::move(constraints);
  return target;
}

Target intersect(Target target, const SetPtr& set) {
  const int dim = set->dim();
  target.set = target.constraints.empty() ? set : intersection({target.set, set});
  if (set->is_polyhedral()) {
    const Halfspaces more = set->halfspaces();
    const Eigen::Index before = target.flat.offsets.size();
    target.flat.normals.conservativeResize(before + more.offsets.size(), dim);
    target.flat.offsets.conservativeResize(before + more.offsets.size());
    target.flat.normals.bottomRows(more.offsets.size()) = more.normals;
    target.flat.offsets.tail(more.offsets.size()) = more.offsets;
  } else {
    target.curved = target.curved ? intersection({target.curved, set}) : set;
    target.curved_over.resize(static_cast<std::size_t>(dim));
    std::iota(target.curved_over.begin(), target.curved_over.end(), 0);
  }
  return target;
}

}  // namespace c2rl
