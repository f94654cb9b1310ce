#include "c2rl/geometry/updated_qr.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"

namespace c2rl {
namespace {

// After any order of insertions and removals, Q is orthonormal and Q R is the matrix of the columns still
// there.
TEST(UpdatedQr, FactorsWhatIsLeft) {
  const bool holds = rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    const int rows = 3 + static_cast<int>(rng.below(30));
    UpdatedQr factor(rows);
    std::vector<Vector> columns;
    for (int step = 0; step < 200; ++step) {
      if (!columns.empty() && (rng.below(3) == 0 || static_cast<int>(columns.size()) == rows)) {
        const int j = static_cast<int>(rng.below(columns.size()));
        factor.remove(j);
        columns.erase(columns.begin() + j);
      } else {
        // Every other column lies within 1e-6 of the span of the others.
        Vector column = rng.normal_vector(rows);
        if (step % 2 == 0 && !columns.empty()) column = columns[0] + 1e-6 * column;
        Vector coefficients, residual;
        factor.decompose(column, coefficients, residual);
        factor.append(coefficients, residual);
        columns.push_back(column);
      }
      const int k = factor.columns();
      RC_ASSERT(k == static_cast<int>(columns.size()));
      RC_ASSERT((factor.q().transpose() * factor.q() - Matrix::Identity(k, k)).norm() <= 1e-12);
      Matrix left(rows, k);
      for (int j = 0; j < k; ++j) left.col(j) = columns[j];
      for (int j = 0; j < k; ++j) {
        const Vector shown = factor.q().transpose() * left.col(j);
        RC_ASSERT((factor.q() * shown - left.col(j)).norm() <= 1e-12 * left.norm());
        // R^-1 shows the column as a combination of the columns: itself.
        const Vector combination = factor.solve_r(shown);
        RC_ASSERT((left * combination - left.col(j)).norm() <=
                  1e-12 * left.norm() * (1 + combination.norm()));
      }
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace c2rl
