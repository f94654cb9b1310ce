// One suite of laws for every kind of set.

#include "c2rl/geometry/sets.h"

#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"

namespace c2rl {
namespace {

struct Kind {
  const char* name;
  std::function<SetPtr(Rng&, int dim)> make;
};

Matrix normal_matrix(Rng& rng, int rows, int cols) {
  Matrix a(rows, cols);
  for (int j = 0; j < cols; ++j) a.col(j) = rng.normal_vector(rows);
  return a;
}

SetPtr random_box(Rng& rng, int dim) {
  Vector lower = rng.normal_vector(dim), upper = lower + rng.normal_vector(dim).cwiseAbs();
  for (int i = 0; i < dim; ++i) {
    if (rng.below(4) == 0) lower[i] = -kInfinity;
    if (rng.below(4) == 0) upper[i] = kInfinity;
  }
  return box(lower, upper);
}

/// Rows through slack around a common point, so that the set is never empty; some are equations, some
/// two-sided.
SetPtr random_polyhedron(Rng& rng, int dim) {
  const int rows = 1 + static_cast<int>(rng.below(2 * dim + 2));
  const Matrix a = normal_matrix(rng, rows, dim);
  const Vector inside = a * rng.normal_vector(dim);
  Vector lower = inside, upper = inside;
  int equations = 0;
  for (int i = 0; i < rows; ++i) {
    if (rng.below(4) == 0 && equations + 1 < dim) {
      ++equations;
      continue;
    }
    lower[i] -= rng.below(2) == 0 ? kInfinity : std::abs(rng.normal());
    upper[i] += std::abs(rng.normal());
  }
  return polyhedron(a, lower, upper);
}

SetPtr random_ellipsoid(Rng& rng, int dim) {
  const int rows = 1 + static_cast<int>(rng.below(dim + 1));
  const Matrix a = normal_matrix(rng, rows, dim);
  return ellipsoid(a, a * rng.normal_vector(dim), std::abs(rng.normal()));
}

SetPtr random_affine_subspace(Rng& rng, int dim) {
  const Matrix a = normal_matrix(rng, 1 + static_cast<int>(rng.below(dim)), dim);
  return affine_subspace(a, a * rng.normal_vector(dim));
}

/// Balls, ellipsoids and halfspaces around one common point.
SetPtr random_intersection(Rng& rng, int dim) {
  const Vector inside = rng.normal_vector(dim);
  std::vector<SetPtr> members;
  for (int k = 0; k < 2 + static_cast<int>(rng.below(2)); ++k) {
    const Vector offset = rng.normal_vector(dim);
    members.push_back(ball(inside + offset, offset.norm() + 0.1 + 0.2 * rng.uniform()));
  }
  const Vector normal = rng.normal_vector(dim);
  members.push_back(halfspace(normal, normal.dot(inside) + 0.1));
  return intersection(members);
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"point", [](Rng& rng, int dim) { return point(rng.normal_vector(dim)); }},
      {"box", random_box},
      {"halfspace", [](Rng& rng, int dim) { return halfspace(rng.normal_vector(dim), rng.normal()); }},
      {"affine_subspace", random_affine_subspace},
      {"polyhedron", random_polyhedron},
      {"ball", [](Rng& rng, int dim) { return ball(rng.normal_vector(dim), std::abs(rng.normal())); }},
      {"ellipsoid", random_ellipsoid},
      {"simplex", [](Rng& rng, int dim) { return simplex(dim, 0.1 + rng.uniform()); }},
      {"second_order_cone", [](Rng&, int dim) { return second_order_cone(dim + 1); }},
      {"cone_over_box", [](Rng& rng, int dim) { return cone_over(random_box(rng, dim), 20); }},
      {"cone_over_ball",
       [](Rng& rng, int dim) { return cone_over(ball(rng.normal_vector(dim), rng.uniform()), 3); }},
      {"cone_over_polyhedron", [](Rng& rng, int dim) { return cone_over(random_polyhedron(rng, dim), 1); }},
      {"product",
       [](Rng& rng, int dim) {
         return product({random_box(rng, dim), ball(rng.normal_vector(dim), 0.5), second_order_cone(2)});
       }},
      {"transformed",
       [](Rng& rng, int dim) {
         return transformed(random_ellipsoid(rng, dim), rng.normal_vector(dim), 0.1 + rng.uniform());
       }},
      {"over_coordinates",
       [](Rng& rng, int dim) {
         return over_coordinates(random_ellipsoid(rng, 2), {0, dim}, dim + 1);
       }},
      {"intersection", random_intersection},
      {"polyhedral_intersection",
       [](Rng&, int dim) {
         return intersection(
             {simplex(dim, 1.0), box(Vector::Constant(dim, 0.2 / dim), Vector::Constant(dim, 0.9))});
       }},
  };
  return all;
}

class EverySet : public testing::TestWithParam<int> {
 protected:
  /// A set and a scale for points around it, drawn from one number, so that a failure is named by that
  /// number.
  template <typename Law>
  void check_law(const Law& law) {
    const Kind& kind = kinds()[GetParam()];
    const bool holds = rc::check(std::string(kind.name), [&](std::uint32_t seed) {
      Rng rng(seed);
      const int dim = 2 + static_cast<int>(rng.below(5));
      const SetPtr set = kind.make(rng, dim);
      const double spread = std::pow(10.0, static_cast<double>(rng.below(4)) - 1);
      law(*set, [&] { return Vector(spread * rng.normal_vector(set->dim())); });
    });
    EXPECT_TRUE(holds);
  }
};

double size_of(const Vector& x) {
  return std::max(1.0, x.norm());
}

TEST_P(EverySet, ProjectionIsIdempotent) {
  check_law([](const ConvexSet& set, const auto& draw) {
    const Vector x = draw(), p = set.project(x);
    RC_ASSERT((set.project(p) - p).norm() <= 1e-9 * size_of(x));
    RC_ASSERT(set.contains(p, 1e-9 * size_of(x)));
  });
}

TEST_P(EverySet, ProjectionIsNonexpansive) {
  check_law([](const ConvexSet& set, const auto& draw) {
    const Vector x = draw(), y = draw();
    RC_ASSERT((set.project(x) - set.project(y)).norm() <= (x - y).norm() + 1e-9 * size_of(x));
  });
}

// (x - Px).(z - Px) <= 0 for every z of the set: what makes Px the nearest point. Sampled z are projections
// too.
TEST_P(EverySet, ProjectionMakesAnObtuseAngle) {
  check_law([](const ConvexSet& set, const auto& draw) {
    const Vector x = draw(), p = set.project(x);
    for (int i = 0; i < 10; ++i) {
      const Vector z = set.project(draw());
      RC_ASSERT((x - p).dot(z - p) <= 1e-8 * size_of(x) * size_of(z));
    }
  });
}

// The vector to x is the difference to its projection, coordinates that are not constrained have no part in it,
// and the set reaches no farther along it than it says.
TEST_P(EverySet, OutwardIsNormalToTheSet) {
  check_law([](const ConvexSet& set, const auto& draw) {
    const Vector x = draw(), p = set.project(x);
    const Outward outward = set.outward(x);
    RC_ASSERT((x - p - outward.vector).norm() <= 1e-9 * size_of(x));
    RC_ASSERT(((outward.gross - outward.vector.cwiseAbs()).array() >= -1e-12 * size_of(x)).all());
    RC_ASSERT((outward.vector.array() * (1 - set.constrained().array()) == 0).all());
    for (int i = 0; i < 10; ++i) {
      const Vector z = set.project(draw());
      RC_ASSERT(outward.vector.dot(z - (x - outward.vector)) <=
                outward.beyond + 1e-8 * size_of(x) * size_of(z));
    }
    const double excess = set.excess(x, x.cwiseAbs());
    RC_ASSERT(excess <= outward.vector.norm() + 1e-12 * size_of(x));
    RC_ASSERT(excess >= outward.vector.norm() - 1e-9 * size_of(x));
  });
}

TEST_P(EverySet, JacobianPredictsTheProjectionNearby) {
  check_law([](const ConvexSet& set, const auto& draw) {
    const Vector x = draw(), d = draw().normalized();
    // A kink between x - h d and x + h d makes the derivative jump; look only where both sides agree.
    const double h = 1e-5 * size_of(x);
    const Vector forward = (set.project(x + h * d) - set.project(x)) / h;
    const Vector backward = (set.project(x) - set.project(x - h * d)) / h;
    if ((forward - backward).norm() > 1e-4) return;
    RC_ASSERT((set.jacobian_times(x, d) - 0.5 * (forward + backward)).norm() <= 2e-4);
  });
}

TEST_P(EverySet, BoundsContainTheSet) {
  check_law([](const ConvexSet& set, const auto& draw) {
    const Vector p = set.project(draw());
    const Bounds bounds = set.bounds();
    const double slack = 1e-9 * size_of(p);
    RC_ASSERT(((p - bounds.lower).array() >= -slack).all());
    RC_ASSERT(((bounds.upper - p).array() >= -slack).all());
  });
}

TEST_P(EverySet, HalfspacesDescribeThePolyhedralOnes) {
  check_law([](const ConvexSet& set, const auto& draw) {
    const Halfspaces faces = set.halfspaces();
    if (!set.is_polyhedral()) {
      RC_ASSERT(faces.offsets.size() == 0);
      return;
    }
    const Vector x = draw(), p = set.project(x);
    RC_ASSERT(((faces.normals * p - faces.offsets).array() <= 1e-9 * size_of(x)).all());
    if ((x - p).norm() > 1e-6) RC_ASSERT(((faces.normals * x - faces.offsets).array() > 0).any());
  });
}

TEST_P(EverySet, PointsOfTheErodedSetHaveTheWholeBoxInside) {
  int eroded_sets = 0;
  check_law([&](const ConvexSet& set, const auto& draw) {
    const Vector widths = 0.1 * draw().cwiseAbs() / 10;
    SetPtr eroded;
    try {
      eroded = set.eroded(widths);
    } catch (const EmptySetError&) {
      return;
    }
    ++eroded_sets;
    const Vector x = eroded->project(draw());
    Rng corners(7);
    for (int i = 0; i < 20; ++i) {
      Vector corner = x;
      for (int k = 0; k < set.dim(); ++k) corner[k] += corners.below(2) == 0 ? -widths[k] : widths[k];
      RC_ASSERT(set.distance(corner) <= 1e-7 * size_of(corner));
    }
  });
  const std::string name = kinds()[GetParam()].name;
  const bool has_no_inside =
      name == "point" || name == "affine_subspace" || name == "simplex" || name == "polyhedral_intersection";
  EXPECT_EQ(eroded_sets == 0, has_no_inside);
}

INSTANTIATE_TEST_SUITE_P(Sets, EverySet, testing::Range(0, static_cast<int>(kinds().size())),
                         [](const auto& kind) { return kinds()[kind.param].name; });

}  // namespace
}  // namespace c2rl
