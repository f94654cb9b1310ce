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
SetPtr halfspace(Vector normal, double offset);

/// {x : A x = b}.
SetPtr affine_subspace(const Matrix& a, const Vector& b);

/// {x : lower <= A x <= upper}; infinite bounds allowed, equal bounds are equations.
/// Projected by a dual active-set method, exact to rounding.
SetPtr polyhedron(Matrix a, Vector lower, Vector upper);

/// {x : |x - center| <= radius}.
SetPtr ball(Vector center, double radius);

/// {x : |A x - b| <= radius}, A of any shape and rank: an ellipsoid, or a cylinder over one.
SetPtr ellipsoid(const Matrix& a, const Vector& b, double radius);

/// {x >= 0 : sum x = total}.
SetPtr simplex(int dim, double total = 1.0);

/// {(z, t) : |z| <= t}, t being the last coordinate.
SetPtr second_order_cone(int dim);

/// The product of sets over consecutive blocks of coordinates.
SetPtr product(std::vector<SetPtr> blocks);

/// {shift + scale * z : z in set}, scale > 0.
SetPtr transformed(SetPtr set, Vector shift, double scale);

/// What `intersection` guarantees of a projection onto curved members: its distance to every member is at most this
/// much, relative to the size of the point.
inline constexpr double kIntersectionTolerance = 1e-12;

/// The points common to all members. Polyhedral members together are exact. With curved members the projection adds
/// supporting halfspaces of the members one by one until the point lies in all of them to kIntersectionTolerance;
/// every halfspace used holds for the whole intersection, so the separating direction x - project(x) is exact for
/// the outer polyhedron the point was found on.
SetPtr intersection(std::vector<SetPtr> members);

}  // namespace c2rl
