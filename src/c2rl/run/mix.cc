#include "c2rl/run/mix.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"
#include "c2rl/solve/verify.h"

namespace c2rl {

Result mix(const Points& points, const Target& target, const std::string& solver,
           const SolverOptions& options, const std::optional<Objective>& objective) {
  const auto start = std::chrono::steady_clock::now();
  const SolverKind& kind = solver_kinds().find(solver);
  kind.check_suits(*target.set);
  const SolverMaker maker = kind.configure(nullptr);
  std::unique_ptr<Solver> machine;
  if (objective) {
    machine = make_maximizer(objective->method, maker, target.set, objective->uphill(), options);
  } else {
    machine = maker.make(target.set, options);
  }
  PointOracle oracle(points.values, points.has_standard_errors ? points.standard_errors : Matrix());
  oracle.run(*machine);

  Result result = make_result(*machine, solver, target, objective, [&](int call) {
    const int column = oracle.column(call);
    return ResultPolicy{.id = points.ids[column], .standard_error = points.standard_errors.col(column)};
  });
  std::sort(result.policies.begin(), result.policies.end(),
            [](const ResultPolicy& a, const ResultPolicy& b) { return a.weight > b.weight; });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::vector<std::string> verify_mix(const Points& points, const Result& result) {
  if (points.names != result.names) {
    return {fmt::format("the result is about {}, the points about {}", join(result.names, ", "),
                        join(points.names, ", "))};
  }
  Claim claim;
  claim.status = result.status;
  claim.points = points.values;
  claim.weights = Vector::Zero(points.values.cols());
  claim.measurement = result.measurement;
  claim.distance = result.distance;
  claim.distance_lower_bound = result.certificate.bound;
  claim.certificate = result.certificate;
  claim.tolerance = result.tolerance;
  for (const ResultPolicy& policy : result.policies) {
    const auto id = std::find(points.ids.begin(), points.ids.end(), policy.id);
    if (id == points.ids.end()) return {fmt::format("there is no policy '{}' among the points", policy.id)};
    claim.weights[id - points.ids.begin()] += policy.weight;
  }
  std::vector<Constraint> constraints;
  constraints.reserve(result.constraints.size());
  for (const std::string& text : result.constraints)
    constraints.push_back(parse_constraint(text, points.names));
  const Target target = make_target(points.names, constraints);
  std::vector<std::string> faults = verify(claim, *target.set);
  if (result.status == Status::feasible) {
    for (const Constraint& constraint : target.constraints) {
      const double violation = constraint.violation(points.values * claim.weights);
      if (violation > result.tolerance * (1 + 1e-6) + 1e-12 * points.values.lpNorm<Eigen::Infinity>()) {
        faults.push_back(fmt::format("\"{}\" is broken by {}", constraint.text, violation));
      }
    }
  }
  return faults;
}

}  // namespace c2rl
