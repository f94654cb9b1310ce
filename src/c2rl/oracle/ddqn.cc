#include "c2rl/oracle/ddqn.h"

#include <algorithm>
#include <cmath>

namespace c2rl {

Ddqn::Ddqn(std::shared_ptr<const Dataset> dataset, const DdqnOptions& options, ActionCounts actions)
    : dataset_(std::move(dataset)),
      options_(options),
      recorded_(*dataset_, std::move(actions)),
      evaluator_(dataset_) {
  options_.validate();
}

OracleAnswer Ddqn::answer(const OracleCall& call) {
  constexpr int kUpdatesPerReport = 64;
  const auto updates =
      static_cast<std::int64_t>(std::ceil(call.effort * static_cast<double>(options_.updates)));
  const auto* start = options_.warm_start ? dynamic_cast<const NetworkPolicy*>(call.start.get()) : nullptr;
  DdqnOptions options = options_;
  options.step_cost /= std::max(1.0, call.effort);
  DdqnTraining training(*dataset_, recorded_, options, call.direction, updates, call.rng.fork("training"),
                        start);
  for (int done = 0; !training.done(); ++done) {
    if (done % kUpdatesPerReport == 0) report(training.part_done());
    training.update();
  }
  OracleAnswer answer;
  answer.policy = training.policy();
  OffPolicyEstimate estimate = evaluator_.estimate(options_.off_policy, *answer.policy);
  answer.measurement = std::move(estimate.measurement);
  answer.standard_error = std::move(estimate.standard_error);
  return answer;
}

}  // namespace c2rl
