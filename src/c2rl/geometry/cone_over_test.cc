#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"
#include "c2rl/geometry/near_testing.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// Points at a scale drawn from 0.1 to 100.
Vector draw(Rng& rng, int dim) {
  return std::pow(10.0, static_cast<double>(rng.below(4)) - 1) * rng.normal_vector(dim);
}

TEST(ConeOver, ABallAroundTheAxisIsTheSecondOrderCone) {
  const bool holds = rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    const int dim = 1 + static_cast<int>(rng.below(5));
    const SetPtr cone = cone_over(ball(Vector::Zero(dim), 20), 20), known = second_order_cone(dim + 1);
    const Vector v = draw(rng, dim + 1);
    RC_ASSERT((cone->project(v) - known->project(v)).norm() <= 1e-13 * v.norm());
  });
  EXPECT_TRUE(holds);
}

// {A x <= b} at a height is {A x <= (b / height) alpha, alpha >= 0}, which another method projects on. The
// polyhedron may be unbounded: its recession directions belong to the cone, at height zero.
TEST(ConeOver, APolyhedronGivesAPolyhedron) {
  const bool holds = rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    const int dim = 1 + static_cast<int>(rng.below(5)), rows = 1 + static_cast<int>(rng.below(2ul * dim));
    const double height = 1 + 20 * rng.uniform();
    Matrix a(rows, dim);
    for (int j = 0; j < dim; ++j) a.col(j) = rng.normal_vector(rows);
    const Vector b = a * rng.normal_vector(dim) + rng.normal_vector(rows).cwiseAbs();
    const Vector open = Vector::Constant(rows + 1, -kInfinity);
    Matrix lifted = Matrix::Zero(rows + 1, dim + 1);
    lifted.topRows(rows) << a, -b / height;
    lifted(rows, dim) = -1;
    const SetPtr cone = cone_over(polyhedron(a, open.head(rows), b), height);
    const SetPtr known = polyhedron(lifted, open, Vector::Zero(rows + 1));
    const Vector v = draw(rng, dim + 1);
    RC_ASSERT((cone->project(v) - known->project(v)).norm() <= 1e-10 * v.norm());
  });
  EXPECT_TRUE(holds);
}

TEST(ConeOver, KnownProjections) {
  // Over one point: a ray, or its apex.
  const SetPtr ray = cone_over(point(Vector{{3}}), 4);
  expect_near(ray->project(Vector{{1, 0}}), Vector{{0.36, 0.48}});
  expect_near(ray->project(Vector{{-1, -2}}), Vector::Zero(2));
  expect_near(ray->project(Vector::Zero(2)), Vector::Zero(2));
  // Over a halfline: the recession direction, at height zero.
  const SetPtr quadrant = cone_over(box(Vector{{0}}, Vector{{kInfinity}}), 20);
  expect_near(quadrant->project(Vector{{5, -1}}), Vector{{5, 0}});
  expect_near(quadrant->project(Vector{{-5, 2}}), Vector{{0, 2}});
  expect_near(quadrant->project(Vector{{7, 2}}), Vector{{7, 2}});
  // What the base leaves alone stays, to the last bit: no rounding decides between equal answers later.
  for (int i = 1; i < 100; ++i) {
    const Vector v{{i / 7.0, 30.0, 20.0}};
    const SetPtr cone = cone_over(box(Vector{{-100, 0}}, Vector{{100, 0.5}}), 20);
    EXPECT_EQ(cone->project(v)[0], v[0]);
  }
  EXPECT_THROW(cone_over(point(Vector{{3}}), 0), InputError);
}

// Moreau: v is the sum of its projections on the cone and on its polar, and the two are orthogonal.
TEST(ConeOver, SplitsEveryVectorIntoConeAndPolar) {
  const bool holds = rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    const int dim = 1 + static_cast<int>(rng.below(5));
    const Vector center = rng.normal_vector(dim), half = rng.normal_vector(dim).cwiseAbs();
    const SetPtr base = rng.below(2) == 0 ? box(center - half, center + half) : ball(center, rng.uniform());
    const SetPtr cone = cone_over(base, 20);
    const Vector v = draw(rng, dim + 1), in_cone = cone->project(v), polar = v - in_cone;
    RC_ASSERT(std::abs(in_cone.dot(polar)) <= 1e-13 * v.squaredNorm());
    RC_ASSERT(cone->project(polar).norm() <= 1e-13 * v.norm());
    RC_ASSERT((cone->project(in_cone) - in_cone).norm() <= 1e-13 * v.norm());
    for (int i = 0; i < 10; ++i) {
      Vector lifted(dim + 1);
      lifted << base->project(draw(rng, dim)), 20;
      RC_ASSERT(polar.dot(lifted) <= 1e-13 * v.norm() * lifted.norm());
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace c2rl
