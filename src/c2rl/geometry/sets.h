#pragma once

#include <vector>

#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// The sets. Each constructor validates its arguments (InputError) and finds an empty set (EmptySetError).

/// {p}.
SetPtr point(Vector p);

/// {x : lower <= x <= upper}; infinite bounds allowed.
SetPtr box(Vector lower, Vector upper);

/// {x : normal.x <= offset}.
SetPtr halfspace(const Vector& normal, double offset);

/// {x : A x = b}.
SetPtr affine_subspace(const Matrix& a, const Vector& b);

/// {x : lower <= A x <= upper}; infinite bounds allowed, equal bounds are equations.
/// Projected by a dual active-set method, exact to rounding.
SetPtr polyhedron(const Matrix& a, const Vector& lower, const Vector& upper);

/// {x : |x - center| <= radius}.
SetPtr ball(Vector center, double radius);

/// {x : |A x - b| <= radius}, A of any shape and rank: an ellipsoid, or a cylinder over one.
SetPtr ellipsoid(const Matrix& a, const Vector& b, double radius);

/// {x >= 0 : sum x = total}.
SetPtr simplex(int dim, double total = 1.0);

/// {(z, t) : |z| <= t}, t being the last coordinate.
SetPtr second_order_cone(int dim);

/// The cone from the origin through `base` set at a height: {alpha (x, height) : x in base, alpha >= 0}, made
/// closed. The height is the last coordinate. Projected by a search over alpha with the base's projection: to
/// rounding, or to about 1e-8 of |x| where an unbounded base's answers near the apex are all rounding.
SetPtr cone_over(SetPtr base, double height);

/// The product of sets over consecutive blocks of coordinates.
SetPtr product(std::vector<SetPtr> blocks);

/// {shift + scale * z : z in set}, scale > 0.
SetPtr transformed(SetPtr set, Vector shift, double scale);

/// {x in R^dim : (the coordinates of x with these numbers, which rise) in set}; the others are free.
SetPtr over_coordinates(SetPtr set, std::vector<int> coordinates, int dim);

/// The points common to all members. Projected to rounding, except that where curved members merely touch, which
/// leaves a rounding of theirs room for its square root along them, that root is what holds.
SetPtr intersection(std::vector<SetPtr> members);

}  // namespace c2rl
