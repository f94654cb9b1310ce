#include "c2rl/planning/scalar_problem.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace c2rl {

ScalarProblem::ScalarProblem(const TabularModel& model, const Vector& direction, Ties ties, const Rng& rng)
    : cost(model.choices()), discount(model.discount) {
  tbb::parallel_for(tbb::blocked_range<int>(0, model.choices(), 1 << 14),
                    [&](const tbb::blocked_range<int>& range) {
                      for (int k = range.begin(); k < range.end(); ++k) {
                        double sum = 0;
                        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
                          sum += model.probability[e] * direction.dot(model.measurement.col(e));
                        }
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
