#include "c2rl/solve/sparsify.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

Mixture mixture_of(const Matrix& atoms, const Vector& weights) {
  Mixture mixture;
  for (int i = 0; i < atoms.cols(); ++i) mixture.ids.push_back(i + 1);
  mixture.atoms = atoms;
  mixture.weights = weights;
  mixture.point = atoms * weights;
  return mixture;
}

TEST(Sparsify, InsideTheTargetOneAtomIsEnough) {
  const Matrix atoms{{1, 2, 3}, {1, 3, 2}};
  const Mixture sparse =
      sparsify(mixture_of(atoms, Vector::Constant(3, 1.0 / 3)), *box(Vector{{0, 0}}, Vector{{9, 9}}));
  EXPECT_EQ(sparse.size(), 1);
}

TEST(Sparsify, OneTightConstraintNeedsTwoAtoms) {
  // x = 2 is tight; the atoms at x = 0 and x = 3 must both stay, of the others none.
  const Matrix atoms{{0, 3, 0, 3}, {0, 0, 1, 1}};
  const Mixture before = mixture_of(atoms, Vector{{0.2, 0.4, 2.0 / 15, 4.0 / 15}});
  const SetPtr target = box(Vector{{2, -9}}, Vector{{2, 9}});
  const Mixture sparse = sparsify(before, *target);
  EXPECT_EQ(sparse.size(), 2);
  EXPECT_LE(target->distance(sparse.point), 1e-12);
}

TEST(Sparsify, CurvedTargetsAreLeftAlone) {
  const Matrix atoms{{1, 2, 3}, {1, 3, 2}};
  EXPECT_EQ(sparsify(mixture_of(atoms, Vector::Constant(3, 1.0 / 3)), *ball(Vector{{2, 2}}, 5)).size(), 3);
}

// Same distance, weights on the simplex, and no more atoms than a basic solution has.
TEST(Sparsify, KeepsTheDistanceWithFewAtoms) {
  const bool holds = rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    const int dim = 2 + static_cast<int>(rng.below(5)), count = 2 + static_cast<int>(rng.below(12));
    Matrix atoms(dim, count);
    for (int j = 0; j < count; ++j) atoms.col(j) = rng.normal_vector(dim);
    Vector weights(count);
    for (double& weight : weights) weight = 0.1 + rng.uniform();
    weights /= weights.sum();
    const Mixture before = mixture_of(atoms, weights);
    const Vector corner = before.point + 0.3 * rng.normal_vector(dim);
    const SetPtr target = box(Vector::Constant(dim, -kInfinity), corner);
    const Mixture sparse = sparsify(before, *target);
    RC_ASSERT(sparse.weights.minCoeff() > 0);
    RC_ASSERT(std::abs(sparse.weights.sum() - 1) <= 1e-12);
    RC_ASSERT((sparse.atoms * sparse.weights - sparse.point).norm() <= 1e-12);
    RC_ASSERT(std::abs(target->distance(sparse.point) - target->distance(before.point)) <= 1e-9);
    const Vector nearest = target->project(sparse.point);
    const auto tight = ((corner - nearest).array() <= 1e-9).count();
    RC_ASSERT(sparse.size() <= 1 + static_cast<int>(tight));
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace c2rl
