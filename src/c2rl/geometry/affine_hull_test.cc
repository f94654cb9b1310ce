#include "c2rl/geometry/affine_hull.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"

namespace c2rl {
namespace {

Vector insert(AffineHull& hull, const Vector& atom) {
  Vector combination;
  EXPECT_TRUE(hull.insert(atom, combination));
  return combination;
}

TEST(AffineHull, NearestPointOnALine) {
  AffineHull hull(2);
  insert(hull, Vector{{12, 0}});
  insert(hull, Vector{{10, 1}});
  const Vector alpha = hull.minimizer(Vector{{11, 0.5}});
  EXPECT_NEAR(alpha[0], 0.5, 1e-15);
  EXPECT_NEAR(alpha[1], 0.5, 1e-15);
}

TEST(AffineHull, DependentAtomIsShownAsACombination) {
  AffineHull hull(2);
  insert(hull, Vector{{22.4, 17}});
  insert(hull, Vector{{19.6, 13}});
  Vector combination;
  // (20.3, 14) lies on the segment, a quarter of the way.
  ASSERT_FALSE(hull.insert(Vector{{20.3, 14}}, combination));
  EXPECT_EQ(hull.size(), 2);
  EXPECT_NEAR(combination[0], 0.25, 1e-12);
  EXPECT_NEAR(combination[1], 0.75, 1e-12);
}

// The affine minimiser property (paper, equation 9): y - w is orthogonal to every direction in the hull.
// Checked through long random sequences of updates, with near-duplicates and a large common offset.
TEST(AffineHull, MinimizerIsOrthogonalAfterAnyUpdates) {
  const bool holds = rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    const int dim = 2 + static_cast<int>(rng.below(12));
    const double offset = rng.below(2) == 0 ? 0 : 1e6;
    const double size = 1 + offset;
    const double near = rng.below(2) == 0 ? 1 : 1e-8;
    AffineHull hull(dim);
    for (int step = 0; step < 300; ++step) {
      if (hull.size() > 1 && rng.below(3) == 0) {
        hull.remove(static_cast<int>(rng.below(hull.size())));
      } else {
        Vector atom = Vector::Constant(dim, offset) + rng.normal_vector(dim);
        if (hull.size() > 0 && rng.below(2) == 0) atom = hull.atoms().col(0) + near * rng.normal_vector(dim);
        Vector combination;
        if (!hull.insert(atom, combination)) {
          RC_ASSERT(std::abs(combination.sum() - 1) <= 1e-9 * (1 + combination.lpNorm<1>()));
          RC_ASSERT((hull.atoms() * combination - atom).norm() <= 1e-8 * size * (1 + combination.norm()));
          continue;
        }
      }
      RC_ASSERT(hull.size() <= dim + 1);
      const Vector w = Vector::Constant(dim, offset) + 3 * rng.normal_vector(dim);
      const Vector alpha = hull.minimizer(w);
      RC_ASSERT(std::abs(alpha.sum() - 1) <= 1e-9 * (1 + alpha.lpNorm<1>()));
      const Vector y = hull.atoms() * alpha;
      // Atoms `near` apart, seen from a center about 1 away, show their direction to rounding / near only;
      // and rounding in S alpha itself counts when the coefficients are large.
      const double rounding = 1e-11 + 20 * kEpsilon / near +
                              4 * (hull.size() + 2) * std::sqrt(dim) * kEpsilon * size * alpha.lpNorm<1>();
      for (int i = 1; i < hull.size(); ++i) {
        const Vector direction = (hull.atoms().col(i) - hull.atoms().col(0)).normalized();
        RC_ASSERT(std::abs(direction.dot(y - w)) <= rounding * (1 + (y - w).norm()));
      }
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace c2rl
