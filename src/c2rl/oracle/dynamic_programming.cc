#include "c2rl/oracle/dynamic_programming.h"

#include <algorithm>

#include "c2rl/oracle/optimum.h"

namespace c2rl {

DynamicProgramming::DynamicProgramming(std::shared_ptr<const TabularModel> model,
                                       const DynamicProgrammingOptions& options)
    : model_(std::move(model)), options_(options), graph_(*model_) {
  if (ShortestPaths::usable(*model_)) paths_.emplace(*model_);
  if (model_->horizon == 0) longest_episode_ = longest_episode(*model_);
}

OracleAnswer DynamicProgramming::answer(const OracleCall& call) {
  const Vector& direction = call.direction;
  const ScalarProblem problem(*model_, direction, options_.ties, call.rng);
  std::optional<Optimum> found;
  if (paths_) found = shortest_path(*model_, *paths_, problem);
  if (!found) {
    found = model_->horizon > 0 ? backward_induction(*model_, graph_, problem, direction)
                                : policy_iteration(*model_, graph_, problem, longest_episode_);
  }
  const Optimum& optimum = *found;
  const Vector& measurement = optimum.evaluation.measurement;
  const double value_error = direction.lpNorm<1>() * optimum.evaluation.error;
  OracleAnswer result;
  result.slack = std::max(0.0, direction.dot(measurement) + value_error - optimum.lower_bound);
  result.policy = optimum.policy;
  result.measurement = measurement;
  result.standard_error = Vector::Zero(dim());
  result.exact = true;
  return result;
}

}  // namespace c2rl
