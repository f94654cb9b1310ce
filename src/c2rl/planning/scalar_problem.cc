#include "c2rl/planning/scalar_problem.h"

#include "c2rl/mdp/parallel.h"

namespace c2rl {

ScalarProblem::ScalarProblem(const TabularModel& model, const Vector& direction, Ties ties, const Rng& rng)
    : cost(model.choices()), discount(model.discount) {
  constexpr int kGrain = 1 << 14;
  for_ranges_parallel(model.choices(), kGrain, [&](int begin, int end) {
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
