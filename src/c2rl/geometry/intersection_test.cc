#include <gtest/gtest.h>

#include "c2rl/base/random.h"
#include "c2rl/geometry/near_testing.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

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
      Matrix a = 2 * Matrix::Identity(dim, dim);
      for (int j = 0; j < dim; ++j) a.col(j) += rng.normal_vector(dim);
      members.push_back(ellipsoid(a, a * inside + rng.normal_vector(dim).normalized(), 1.3));
    }
    const Vector normal = rng.normal_vector(dim);
    members.push_back(halfspace(normal, normal.dot(inside)));
    const Vector x = inside + 3 * rng.normal_vector(dim);
    expect_near(intersection(members)->project(x), dykstra(members, x, 20000), 1e-10);
  }
}

// The disc and the first halfspace meet in a corner; the second leaves it by a slope of 1e-6, so that the way out is
// long and what the members push by, 1e6 times longer, cancels. The corner by hand, to 50 digits.
TEST(Intersection, PushesThatCancelCostNoDigits) {
  const SetPtr disc =
      over_coordinates(ball(Vector{{-51364.74406149451, -29952.761211429435}}, 22886.09199624507), {0, 1}, 3);
  const SetPtr rows = polyhedron(
      Matrix{{0, 1.9222347968293012, 0}, {-2.017471804840575, -1.090614913865825e-05, 2.692246935619746e-06}},
      Vector::Constant(2, -kInfinity), Vector{{-61478.224192843, 25482.784371765396}});
  const SetPtr set = intersection({disc, rows});
  const Vector corner{{-28568.853454971588589, -31982.681977378856821, -11943340097.352434691}};
  for (const Vector& x : {Vector{{-12630.876783358546, -31903.456458285611, -502.52822026828363}},
                          Vector{{-28568.853454971584, -31982.681977378856, 24488.145155251314}}}) {
    const Outward outward = set->outward(x);
    const double distance = (x - corner).norm();
    EXPECT_NEAR(outward.vector.norm(), distance, 1e-12 * distance);
    expect_near(x - outward.vector, corner, 1e-12 * distance);
    EXPECT_LE(outward.beyond, 1e-12 * distance * distance);
  }
}

}  // namespace
}  // namespace c2rl
