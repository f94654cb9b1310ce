// Equations of policies against elimination of dense ones, and rows side by side against sums that are written out.

#include "c2rl/planning/policy_equations.h"

#include <cmath>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "c2rl/base/random.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/planning/optimum.h"
#include "c2rl/planning/refinement.h"

namespace c2rl {
namespace {

// Rows of different lengths, a number of them that is no multiple of sixteen, and some that are set twice.
TEST(SlicedRows, MultiplyAsSumsDo) {
  constexpr int kRows = 45, kColumns = 30;
  Rng rng(1);
  std::vector<std::int32_t> lengths(kRows);
  for (auto& length : lengths) length = static_cast<std::int32_t>(rng.below(7));
  SlicedRows rows(lengths, SlicedRows::Products::both);
  Matrix dense = Matrix::Zero(kRows, kColumns);
  for (int twice = 0; twice < 2; ++twice) {
    for (int row = 0; row < kRows; row += 1 + 2 * twice) {
      dense.row(row).setZero();
      const int count = static_cast<int>(rng.below(lengths[row] + 1));
      rows.set(row, count, [&](int) {
        const int column = static_cast<int>(rng.below(kColumns));
        const double factor = static_cast<double>(static_cast<float>(rng.normal()));
        dense(row, column) += factor;
        return SlicedRows::Entry{column, factor, static_cast<float>(factor)};
      });
    }
  }
  const int slices = rows.slices(), padded = slices * SlicedRows::kLanes;
  for (const int systems : {1, 2, 3, 4, 6}) {
    Matrix x(systems, kColumns);
    for (double& value : x.reshaped()) value = static_cast<double>(static_cast<float>(rng.normal()));
    const Eigen::MatrixXf single = x.cast<float>();
    std::vector<float> y(static_cast<std::size_t>(padded) * systems, NAN);
    // In two parts.
    float* const second = y.data() + SlicedRows::kLanes * systems;
    const auto multiply = [&](auto known) {
      rows.multiply<known()>(0, 1, systems, single.data(), y.data());
      rows.multiply<known()>(1, slices, systems, single.data(), second);
    };
    switch (systems) {
      case 1:
        multiply(std::integral_constant<int, 1>{});
        break;
      case 2:
        multiply(std::integral_constant<int, 2>{});
        break;
      case 3:
        multiply(std::integral_constant<int, 3>{});
        break;
      case 4:
        multiply(std::integral_constant<int, 4>{});
        break;
      default:
        multiply(std::integral_constant<int, 0>{});
    }
    const Matrix expected = x * dense.transpose();
    for (int row = 0; row < kRows; ++row) {
      for (int j = 0; j < systems; ++j) {
        EXPECT_NEAR(static_cast<double>(y[static_cast<std::size_t>(row) * systems + j]), expected(j, row),
                    1e-5)
            << row;
      }
    }
    if (systems > 1) continue;
    std::vector<double> exact(padded, NAN);
    rows.multiply(0, slices, x.data(), exact.data());
    for (int row = 0; row < kRows; ++row) EXPECT_NEAR(exact[row], expected(0, row), 1e-13) << row;
  }
}

/// An action of every state, at random.
void take_any(PolicyEquations& equations, const TabularModel& model, Rng rng) {
  for (int s = 0; s < model.states; ++s) equations.take(s, static_cast<int>(rng.below(model.actions(s))));
}

/// A model without end whose states often come back to themselves.
TabularModel endless(int states, double discount, bool even, Rng rng) {
  TabularModel model = garnet_model({.states = states,
                                     .branching = 5,
                                     .end_probability = 0,
                                     .discount = discount,
                                     .terminal = false,
                                     .even = even},
                                    rng.fork("model"));
  for (int s = 0; s < states; s += 3) model.next[model.first_transition(s)] = s;
  return model;
}

// Solutions are those of dense equations, to what the equations can be off by; on one thread or several, and whatever
// policy was there before, to the bit.
TEST(PolicyEquations, AgreeWithElimination) {
  int solved = 0;
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const int states = 17 + 3 * seed, systems = 1 + seed % 6;
    const double discount = seed % 2 == 0 ? 0.9 : 0.999;
    const TabularModel model = endless(states, discount, seed % 4 != 0, Rng(seed));
    const StateOrder order(model);
    if (!PolicyEquations::usable(model, order)) continue;
    Rng rng = Rng(seed).fork("measured");
    Matrix measured(systems, model.choices());
    for (double& value : measured.reshaped()) value = rng.normal();
    PolicyEquations equations(model, measured);
    take_any(equations, model, Rng(seed));
    Refinement refinement(equations, equations.measured());
    const auto off = refinement.finish({});
    const Matrix& x = refinement.x();
    if (!off) continue;  // it mixes slowly
    ++solved;
    const Vector largest = measured.cwiseAbs().rowwise().maxCoeff();
    EXPECT_TRUE((equations.units().array() <= largest.array()).all());
    EXPECT_TRUE((2 * equations.units().array() > largest.array()).all());
    Matrix dense = Matrix::Identity(states, states), b(systems, states);
    for (int s = 0; s < states; ++s) {
      const int k = model.choice_begin[s] + equations.action(s);
      b.col(s) = measured.col(k).cwiseQuotient(equations.units());
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        dense(s, model.next[e]) -= discount * model.probability[e];
    }
    const Matrix expected = dense.partialPivLu().solve(b.transpose()).transpose();
    const double scale = expected.cwiseAbs().maxCoeff();
    EXPECT_LE((x - expected).cwiseAbs().maxCoeff(), *off / (1 - discount) + 1e-13 * scale / (1 - discount));
    EXPECT_GE(*off, (b + x - x * dense.transpose() - x).cwiseAbs().maxCoeff() - 1e-14 * scale);
    EXPECT_LE(*off, 1e-13 * scale);

    PolicyEquations others(model, measured);
    take_any(others, model, Rng(seed + 1000));
    Refinement(others, others.measured()).finish({});
    take_any(others, model, Rng(seed));
    Refinement again(others, others.measured());
    again.finish({});
    EXPECT_EQ(again.x(), x);

    // One correction alone, from anywhere, brings x nearer.
    Refinement near(equations, b);
    const Eigen::MatrixXf beyond = (x.cwiseAbs().maxCoeff() * Matrix::Random(systems, states)).cast<float>();
    near.add({beyond.data(), static_cast<std::size_t>(beyond.size())}, Vector::Constant(systems, scale));
    const double before = (near.x() - x).cwiseAbs().maxCoeff();
    near.correct(12, {});
    EXPECT_LE((near.x() - x).cwiseAbs().maxCoeff(), 0.5 * before);
  }
  EXPECT_GT(solved, 25);
}

// Large enough for several threads.
TEST(PolicyEquations, AreTheSameOnAnyNumberOfThreads) {
  const TabularModel model = endless(150'000, 0.99, true, Rng(5));
  const Matrix measured = expected_measurements(model);
  PolicyEquations equations(model, measured);
  take_any(equations, model, Rng(6));
  const auto solve = [&](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    Refinement refinement(equations, equations.measured());
    EXPECT_TRUE(refinement.finish({}));
    return refinement.x();
  };
  const Matrix one = solve(1);
  EXPECT_EQ(solve(2), one);
  EXPECT_EQ(solve(4), one);
}

}  // namespace
}  // namespace c2rl
