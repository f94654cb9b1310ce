#include "c2rl/geometry/sets.h"

#include <chrono>
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"

namespace c2rl {
namespace {

// ---- One suite of laws for every kind of set --------------------------------------------------------------

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

// A number that a constraint does not name excuses no violation of it, be it free or in another constraint.
TEST(Excess, IsRelativeToTheConstraintsOwnNumbers) {
  const Vector x{{0.51, 1e12, 1e12 + 1e-4}};
  const Vector none = Vector::Constant(3, -kInfinity);
  const SetPtr sides = box(none, Vector{{0.5, kInfinity, 1e12}});
  const SetPtr rows = polyhedron(Matrix{{1, 0, 0}, {0.5, 0, 1}}, none.head(2), Vector{{0.5, 1e12 + 0.25}});
  EXPECT_NEAR(sides->excess(x, x.cwiseAbs()), 0.01, 1e-12);
  EXPECT_NEAR(rows->excess(x, x.cwiseAbs()), 0.01, 1e-12);
  EXPECT_GE(intersection({ball(Vector{{0, 1e12, 1e12}}, 1e9), sides})->excess(x, x.cwiseAbs()), 0.01 - 1e-12);
  // What is rounding of the constraint's own numbers is none of it.
  EXPECT_EQ(sides->excess(Vector{{0.5, 0, 1e12 + 1e-4}}, x), 0);
}

// ---- Known answers ----------------------------------------------------------------------------------------

void expect_near(const Vector& found, const Vector& expected, double tolerance = 1e-12) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).norm(), tolerance)
      << "found " << found.transpose() << ", expected " << expected.transpose();
}

TEST(Box, UnboundedSidesDoNotMove) {
  const SetPtr set = box(Vector{{-kInfinity, 0}}, Vector{{11, kInfinity}});
  expect_near(set->project(Vector{{12, -1}}), Vector{{11, 0}});
  expect_near(set->project(Vector{{-1e9, 1e9}}), Vector{{-1e9, 1e9}});
}

TEST(Polyhedron, ProjectsOnVertexEdgeAndInterior) {
  // x + y <= 1, x >= 0, y >= 0.
  const Matrix a{{1, 1}, {1, 0}, {0, 1}};
  const SetPtr set = polyhedron(a, Vector{{-kInfinity, 0, 0}}, Vector{{1, kInfinity, kInfinity}});
  expect_near(set->project(Vector{{1, 1}}), Vector{{0.5, 0.5}});
  expect_near(set->project(Vector{{3, -1}}), Vector{{1, 0}});
  expect_near(set->project(Vector{{-2, -3}}), Vector{{0, 0}});
  expect_near(set->project(Vector{{0.2, 0.3}}), Vector{{0.2, 0.3}});
}

// More rows through one vertex than dimensions, some of them repeated: a degenerate active set.
TEST(Polyhedron, DegenerateVertex) {
  const Matrix a{{1, 0}, {0, 1}, {1, 1}, {2, 1}, {1, 2}, {1, 0}, {1, 1}};
  const SetPtr set = polyhedron(a, Vector::Constant(7, -kInfinity), Vector::Zero(7));
  expect_near(set->project(Vector{{3, 4}}), Vector{{0, 0}});
  expect_near(set->project(Vector{{3, -4}}), Vector{{0, -4}}, 1e-12);
}

// Rows that depend on the active ones are violated by rounding of the far point; that ends the projection.
TEST(Polyhedron, AFarPointTakesNoMoreStepsThanANearOne) {
  const Matrix a{{1, 0, -3}, {0, 1, -4}, {-1, 0, 2}, {0, -1, 1}, {0, 0, -1}};
  const SetPtr cone = polyhedron(a, Vector::Constant(5, -kInfinity), Vector::Zero(5));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    const Vector v{{1e6 / 3 + i, 1e6 / 7, -1e8}};
    expect_near(cone->project(v), Vector::Zero(3), 1e-6);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
}

TEST(Polyhedron, LargeOffsetKeepsTheDigitsThereAre) {
  const Matrix a{{1, 1}};
  const SetPtr set = polyhedron(a, Vector{{2e6}}, Vector{{2e6}});
  expect_near(set->project(Vector{{1e6 + 1, 1e6 + 3}}), Vector{{1e6 - 1, 1e6 + 1}}, 1e-9);
}

TEST(Eroded, KnownSets) {
  EXPECT_EQ(box(Vector{{0, -kInfinity}}, Vector{{2, 1}})->eroded(Vector{{0.5, 0.25}})->bounds().upper,
            Vector({{1.5, 0.75}}));
  const SetPtr half = halfspace(Vector{{3, -4}}, 10)->eroded(Vector{{1, 0.5}});  // 3 + 2 less of 10
  EXPECT_NEAR(half->project(Vector{{3, -4}}).dot(Vector{{3, -4}}), 5, 1e-12);
  EXPECT_NEAR(ball(Vector{{1, 1}}, 6)->eroded(Vector{{3, 4}})->distance(Vector{{1, 11}}), 9, 1e-12);
  // |(x, y)| <= z - (1 + 5): the apex moves up the axis.
  EXPECT_NEAR(second_order_cone(3)->eroded(Vector{{3, 4, 1}})->distance(Vector{{0, 0, 0}}), 6, 1e-12);
  EXPECT_THROW(ball(Vector{{0, 0}}, 1)->eroded(Vector{{1, 1}}), EmptySetError);
  EXPECT_THROW(box(Vector{{0}}, Vector{{1}})->eroded(Vector{{0.6}}), EmptySetError);
  const SetPtr same = ball(Vector{{0, 0}}, 1);
  EXPECT_EQ(same->eroded(Vector{{0, 0}}), same);
}

TEST(Ellipsoid, AxisAndCylinder) {
  // (x/2)^2 + y^2 <= 1
  expect_near(ellipsoid(Matrix{{0.5, 0}, {0, 1}}, Vector::Zero(2), 1)->project(Vector{{5, 0}}),
              Vector{{2, 0}});
  // |x - 1| <= 0.5 as a cylinder along y
  expect_near(ellipsoid(Matrix{{1, 0}}, Vector{{1}}, 0.5)->project(Vector{{3, 7}}), Vector{{1.5, 7}});
  // radius 0: the solutions of x + y = 1
  expect_near(ellipsoid(Matrix{{1, 1}}, Vector{{1}}, 0)->project(Vector{{1, 1}}), Vector{{0.5, 0.5}});
}

TEST(Simplex, KnownProjections) {
  expect_near(simplex(3)->project(Vector{{1, 1, 1}}), Vector::Constant(3, 1.0 / 3));
  expect_near(simplex(3)->project(Vector{{5, 0, 0}}), Vector{{1, 0, 0}});
  expect_near(simplex(2)->project(Vector{{1e9 + 0.25, 1e9}}), Vector{{0.625, 0.375}}, 1e-6);
}

TEST(SecondOrderCone, KnownProjections) {
  expect_near(second_order_cone(3)->project(Vector{{3, 4, 0}}), Vector{{1.5, 2, 2.5}});
  expect_near(second_order_cone(3)->project(Vector{{3, 4, -6}}), Vector::Zero(3));
}

TEST(Intersection, TwoDiscsMeetInTheirCorner) {
  // Unit discs around (-0.6, 0) and (0.6, 0) meet in the corners (0, +-0.8).
  const SetPtr set = intersection({ball(Vector{{-0.6, 0}}, 1), ball(Vector{{0.6, 0}}, 1)});
  expect_near(set->project(Vector{{0, 10}}), Vector{{0, 0.8}}, 1e-11);
  expect_near(set->project(Vector{{5, 0}}), Vector{{0.4, 0}}, 1e-11);
}

/// Dykstra's alternating projections: slow, simple, and nothing like the method under test.
Vector dykstra(const std::vector<SetPtr>& members, const Vector& x, int sweeps) {
  Vector z = x;
  std::vector<Vector> increments(members.size(), Vector::Zero(x.size()));
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (size_t k = 0; k < members.size(); ++k) {
      const Vector shifted = z + increments[k];
      z = members[k]->project(shifted);
      increments[k] = shifted - z;
    }
  }
  return z;
}

// The corner of a disc and a halfspace, far from the origin: as exact as the numbers there are.
TEST(Intersection, AnOffsetCostsItsRoundingOnly) {
  const double far = 1e6;
  const SetPtr set = intersection({ball(Vector{{far, far}}, 1), halfspace(Vector{{-1, 0}}, -far - 0.6)});
  const Vector p = set->project(Vector{{far, far + 5}});
  expect_near(p, Vector{{far + 0.6, far + 0.8}}, 1e-8);
  EXPECT_LE((p - Vector{{far, far}}).norm() - 1, 1e-9);
}

TEST(Intersection, AgreesWithDykstra) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const int dim = 2 + static_cast<int>(rng.below(9));
    const Vector inside = rng.normal_vector(dim);
    std::vector<SetPtr> members;
    for (int k = 0; k < 3; ++k) {
      const Matrix a = normal_matrix(rng, dim, dim) + 2 * Matrix::Identity(dim, dim);
      members.push_back(ellipsoid(a, a * inside + rng.normal_vector(dim).normalized(), 1.3));
    }
    const Vector normal = rng.normal_vector(dim);
    members.push_back(halfspace(normal, normal.dot(inside)));
    const Vector x = inside + 3 * rng.normal_vector(dim);
    expect_near(intersection(members)->project(x), dykstra(members, x, 20000), 1e-10);
  }
}

// ---- Emptiness and bad arguments --------------------------------------------------------------------------

template <typename Make>
std::vector<int> conflict_of(const Make& make) {
  try {
    make();
  } catch (const EmptySetError& error) {
    return error.conflict;
  }
  return {};
}

using Rows = std::vector<int>;

TEST(EmptySets, AreFoundWhenBuiltAndNameTheConflict) {
  EXPECT_EQ(conflict_of([] { box(Vector{{0, 5}}, Vector{{1, 3}}); }), Rows({1}));
  // x <= 3 and x >= 5 conflict; y <= 0 has no part in it.
  const Matrix a{{1, 0}, {0, 1}, {1, 0}};
  const Vector lower{{-kInfinity, -kInfinity, 5}}, upper{{3, 0, kInfinity}};
  EXPECT_EQ(conflict_of([&] { polyhedron(a, lower, upper); }), Rows({0, 2}));
  // x + y >= 2 with x <= 0.5 and y <= 1: three rows together.
  const Matrix b{{1, 1}, {1, 0}, {0, 1}, {1, -1}};
  EXPECT_EQ(conflict_of([&] {
              polyhedron(b, Vector{{2, -9, -9, -9}}, Vector{{9, 0.5, 1, 9}});
            }),
            Rows({0, 1, 2}));
  EXPECT_EQ(conflict_of([] {
              intersection({ball(Vector{{0, 0}}, 1), halfspace(Vector{{0, 1}}, 5), ball(Vector{{3, 0}}, 1)});
            }),
            Rows({0, 2}));
  EXPECT_EQ(conflict_of([] { affine_subspace(Matrix{{1, 1}, {2, 2}}, Vector{{1, 3}}); }), Rows({0, 1}));
  EXPECT_EQ(conflict_of([] { ellipsoid(Matrix{{1}, {1}}, Vector{{0, 4}}, 1); }), Rows({0}));
  EXPECT_EQ(conflict_of([] { polyhedron(Matrix{{0, 0}}, Vector{{1}}, Vector{{2}}); }), Rows({0}));
}

TEST(EmptySets, TouchingSetsAreNotEmpty) {
  const SetPtr slab =
      polyhedron(Matrix{{1, 0}, {-3, 0}}, Vector{{0.3, -kInfinity}}, Vector{{kInfinity, -3 * 0.3}});
  EXPECT_NEAR(slab->project(Vector{{7, 1}})[0], 7, 1e-12);
  const SetPtr touching = intersection({ball(Vector{{-1, 0}}, 1), ball(Vector{{1, 0}}, 1)});
  expect_near(touching->project(Vector{{0, 0.5}}), Vector{{0, 0}}, 1e-5);
}

TEST(Sets, BadArgumentsNameTheField) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] { point(Vector{{nan}}); }), "point: expected finite numbers");
  EXPECT_EQ(message([&] { box(Vector{{0, 0}}, Vector{{1}}); }), "box upper: expected 2 numbers, found 1");
  EXPECT_EQ(message([&] {
              halfspace(Vector{{0, 0}}, 1);
            }),
            "halfspace normal: expected a direction, found zero");
  EXPECT_EQ(message([&] { ball(Vector{{0}}, -1); }), "ball radius: expected a number from 0 to 1e100");
  EXPECT_EQ(message([&] { simplex(3, 0); }), "simplex total: expected a finite number above 0");
  EXPECT_EQ(message([&] {
              intersection({ball(Vector{{0}}, 1), ball(Vector{{0, 0}}, 1)});
            }),
            "intersection member 1: expected 1 numbers, found 2");
}

}  // namespace
}  // namespace c2rl
