#pragma once

#include <array>
#include <vector>

#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// A corner of a picture, or the size of one: (horizontal, vertical).
using PlanePoint = std::array<double, 2>;

/// A part of the plane.
struct PlaneBox {
  PlanePoint lower, upper;
};

/// The shadow that a set throws on the plane of two of its coordinates, inside a box: the corners of a convex polygon,
/// around it. Empty where the shadow is elsewhere. A point outside of the shadow is outside of the set; for a set in
/// the plane the shadow is the set. Round edges are drawn with so many corners that nobody sees them.
std::vector<PlanePoint> target_outline(const ConvexSet& set, std::array<int, 2> coordinates,
                                       const PlaneBox& box);

}  // namespace c2rl
