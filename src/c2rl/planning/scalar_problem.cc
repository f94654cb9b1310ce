#include "c2rl/planning/scalar_problem.h"

#include <algorithm>
#include <cstddef>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/relaxation_sweeps.h"

namespace c2rl {
namespace {

constexpr int kGrain = 1 << 14;

}  // namespace

Matrix expected_measurements(const TabularModel& model) {
  Matrix expected(model.dim(), model.choices());
  for_ranges_parallel(model.choices(), kGrain, [&](int begin, int end) {
    with_systems(model.dim(), [&](auto known) {
      const int dim = known() > 0 ? known() : model.dim();
      const double* amount = model.measurement.data() + std::ptrdiff_t{model.transition_begin[begin]} * dim;
      double* to = expected.data() + std::ptrdiff_t{begin} * dim;
      std::fill(to, to + std::ptrdiff_t{end - begin} * dim, 0.0);
      for (int k = begin; k < end; ++k, to += dim) {
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e, amount += dim) {
          for (int i = 0; i < dim; ++i) to[i] += model.probability[e] * amount[i];
        }
      }
    });
  });
  return expected;
}

ScalarProblem::ScalarProblem(const TabularModel& model, const Vector& direction, Ties ties, const Rng& rng,
                             const Matrix& expected)
    : cost(model.choices()), discount(model.discount) {
  for_ranges_parallel(model.choices(), kGrain, [&](int begin, int end) {
    if (expected.size() > 0) {
      Eigen::Map<Vector>(cost.data() + begin, end - begin) =
          expected.middleCols(begin, end - begin).transpose() * direction;
      return;
    }
    for (int k = begin; k < end; ++k) {
      double sum = 0;
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        sum += model.probability[e] * direction.dot(model.measurement.col(e));
      cost[k] = sum;
    }
  });
  for (const double c : cost) cost_scale = std::max(cost_scale, std::abs(c));
  if (ties == Ties::shortest) step_cost = 1;
  if (ties == Ties::longest) step_cost = -1;
  if (ties == Ties::random) {
    Rng stream = rng.fork("ties");
    preference.resize(cost.size());
    for (auto& p : preference) p = static_cast<std::uint32_t>(stream.bits());
  }
}

}  // namespace c2rl
