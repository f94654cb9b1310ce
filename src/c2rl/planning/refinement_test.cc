// Refinements against equations that are added up in 34 digits.

#include "c2rl/planning/refinement.h"

#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include "c2rl/base/random.h"
#include "c2rl/mdp/models_testing.h"

namespace c2rl {
namespace {

__extension__ typedef __float128 Quad;

struct Found {
  TabularModel model;
  Matrix measured;
  PolicyEquations equations;

  Found(int seed, int systems)
      : model(garnet_model({.states = 200 + seed,
                            .actions = 3,
                            .branching = 6,
                            .end_probability = 0,
                            .discount = seed % 2 == 0 ? 0.9 : 0.999,
                            .terminal = false,
                            .even = seed % 3 == 0},
                           Rng(seed))),
        measured(systems, model.choices()),
        equations(model, measured_at_random(seed)) {
    for (int s = 0; s < model.states; ++s) equations.take(s, 0);
  }
  Found(const Found&) = delete;

  const Matrix& measured_at_random(int seed) {
    Rng rng = Rng(seed).fork("measured");
    for (double& value : measured.reshaped()) value = rng.normal();
    return measured;
  }

  /// By how much an equation is off, at the most.
  double off(const Matrix& x) const {
    Quad largest = 0;
    for (int s = 0; s < model.states; ++s) {
      const int k = model.choice_begin[s] + equations.action(s);
      for (Eigen::Index j = 0; j < x.rows(); ++j) {
        Quad sum = static_cast<Quad>(measured(j, k)) / equations.units()[j] - x(j, s);
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
          sum += static_cast<Quad>(model.discount) * model.probability[e] * x(j, model.next[e]);
        largest = std::max(largest, sum < 0 ? -sum : sum);
      }
    }
    return static_cast<double>(largest);
  }
};

// From nothing or from anywhere, with actions that change on the way: equations are off by no more than is said, which is no
// more than rounding.
TEST(Refinement, SaysByHowMuchEquationsAreOff) {
  constexpr double kRoundings = 150;  // each change adds some
  int finished = 0;
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const int systems = 1 + seed % 6;
    Found found(seed, systems);
    Refinement refinement(found.equations, found.equations.measured());
    Rng rng = Rng(seed).fork("anywhere");
    if (seed % 4 != 0) {
      Eigen::MatrixXf beyond(systems, found.model.states);
      // Also from where hardly a digit of what solves the equations would be left.
      const double size = seed % 5 == 0 ? 1e25 : seed % 5 == 1 ? 1e8 : 1;
      for (float& value : beyond.reshaped()) value = static_cast<float>(size * rng.normal());
      refinement.add({beyond.data(), static_cast<std::size_t>(beyond.size())},
                     Vector::Constant(systems, 10 * rng.normal()));
    }
    const auto check = [&](double bound) {
      const double largest = refinement.x().cwiseAbs().maxCoeff();
      EXPECT_LE(found.off(refinement.x()), bound);
      EXPECT_LE(bound, kRoundings * kEpsilon * (largest + 10));
      ++finished;
    };
    for (int change = 0; change < 3; ++change) {
      for (int i = 0; i < change * 5; ++i) {
        const auto state = static_cast<int>(rng.below(found.model.states));
        refinement.take(state, static_cast<int>(rng.below(found.model.actions(state))));
        if (i % 3 == 0) refinement.correct(2, {});
      }
      if (const auto bound = refinement.finish({})) check(*bound);
    }
    refinement.restart();
    if (const auto bound = refinement.finish({})) check(*bound);
  }
  EXPECT_GE(finished, 200);
}

}  // namespace
}  // namespace c2rl
