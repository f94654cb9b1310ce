#include "c2rl/run/demands.h"

#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// Up to this many sides, the corners of a box can be tried one by one.
constexpr std::size_t kMostSides = 16;

/// A box lies in a convex set when its corners do.
bool lies_inside(const ConvexSet& set, const Vector& middle, const Vector& half_widths, double tolerance) {
  std::vector<int> sides;
  for (int i = 0; i < middle.size(); ++i) {
    if (half_widths[i] > 0) sides.push_back(i);
  }
  if (sides.size() > kMostSides) {
    // Too many corners. Those of the cross-polytope around the box contain it: stricter than needed, so that
    // inside is still inside.
    const double reach = half_widths.sum();
    for (const int i : sides) {
      for (const double sign : {-1.0, 1.0}) {
        if (!set.contains(middle + sign * reach * Vector::Unit(middle.size(), i), tolerance)) return false;
      }
    }
    return true;
  }
  for (unsigned corner = 0; corner < (1U << sides.size()); ++corner) {
    Vector x = middle;
    for (std::size_t k = 0; k < sides.size(); ++k)
      x[sides[k]] += ((corner >> k) & 1U ? 1 : -1) * half_widths[sides[k]];
    if (!set.contains(x, tolerance)) return false;
  }
  return true;
}

}  // namespace

Demands::Demands(const Target& target, const World& world, double tolerance, const Pulse& listener)
    : dim_(target.set->dim()),
      tolerance_(tolerance),
      curved_(target.curved),
      curved_over_(target.curved_over) {
  for (Eigen::Index row = 0; row < target.flat.offsets.size(); ++row) {
    Demand demand;
    demand.combination = target.flat.normals.row(row).transpose();
    demand.limit = target.flat.offsets[row] + tolerance * demand.combination.norm();
    demand.range = total_range(world, demand.combination, listener);
    if (demand.range.highest > demand.limit) all_.push_back(std::move(demand));
  }
  flat_ = size();
  for (const int i : curved_over_) {
    for (const double sign : {1.0, -1.0}) {
      Demand demand;
      demand.combination = sign * Vector::Unit(dim_, i);
      demand.range = total_range(world, demand.combination, listener);
      all_.push_back(std::move(demand));
    }
  }
}

Vector Demands::at(const Vector& point) const {
  Vector values(size());
  for (int i = 0; i < size(); ++i) values[i] = (*this)[i].combination.dot(point);
  return values;
}

Demands::Box Demands::box_of(const Vector& upper_limits) const {
  Box box{Vector::Zero(dim_), Vector::Zero(dim_)};
  int i = flat_;
  for (const int axis : curved_over_) {
    const double upper = upper_limits[i], lower = -upper_limits[i + 1];
    box.middle[axis] = (lower + upper) / 2;
    box.half_widths[axis] = std::max(0.0, (upper - lower) / 2);
    i += 2;
  }
  return box;
}

bool Demands::met(const Vector& upper_limits) const {
  for (int i = 0; i < flat_; ++i) {
    if (!(upper_limits[i] <= (*this)[i].limit)) return false;
  }
  if (!curved_) return true;
  const Box box = box_of(upper_limits);
  return box.half_widths.allFinite() && lies_inside(*curved_, box.middle, box.half_widths, tolerance_);
}

bool Demands::broken(const Vector& lower_limits) const {
  for (int i = 0; i < flat_; ++i) {
    if (lower_limits[i] > (*this)[i].limit) return true;
  }
  if (!curved_) return false;
  // The ends of a pair are each other's: at most b is at least -b of the opposite.
  Vector upper_limits = lower_limits;
  for (int i = flat_; i < size(); i += 2) {
    upper_limits[i] = -lower_limits[i + 1];
    upper_limits[i + 1] = -lower_limits[i];
  }
  const Box region = box_of(upper_limits);
  if (!region.half_widths.allFinite()) return false;
  Vector lower = Vector::Constant(dim_, -kInfinity), upper = Vector::Constant(dim_, kInfinity);
  for (const int i : curved_over_) {
    lower[i] = region.middle[i] - region.half_widths[i] - tolerance_;
    upper[i] = region.middle[i] + region.half_widths[i] + tolerance_;
  }
  try {
    intersection({box(lower, upper), curved_});
    return false;
  } catch (const EmptySetError&) {
    return true;
  }
}

SetPtr Demands::tightened(const Vector& margins) const {
  std::vector<SetPtr> parts;
  if (flat_ > 0) {
    Matrix normals(flat_, dim_);
    Vector offsets(flat_);
    for (int i = 0; i < flat_; ++i) {
      normals.row(i) = (*this)[i].combination.transpose();
      offsets[i] = (*this)[i].limit - margins[i];
    }
    parts.push_back(polyhedron(normals, Vector::Constant(flat_, -kInfinity), offsets));
  }
  if (curved_) {
    Vector half_widths = Vector::Zero(dim_);
    int i = flat_;
    for (const int axis : curved_over_) {
      half_widths[axis] = std::max(margins[i], margins[i + 1]);
      i += 2;
    }
    parts.push_back(curved_->eroded(half_widths));
  }
  if (parts.empty()) return box(Vector::Constant(dim_, -kInfinity), Vector::Constant(dim_, kInfinity));
  return parts.size() == 1 ? parts.front() : intersection(std::move(parts));
}

}  // namespace c2rl
