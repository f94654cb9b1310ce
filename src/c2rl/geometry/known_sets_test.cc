// Answers that are known, empty sets and bad arguments.

#include <chrono>

#include <gtest/gtest.h>

#include "c2rl/geometry/near_testing.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

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
