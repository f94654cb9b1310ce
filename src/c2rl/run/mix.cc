#include "c2rl/run/mix.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/solve/maximize.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/verify.h"

namespace c2rl {
namespace {

void take(const Solver& finished, const PointOracle& oracle, const Points& points, Result& result) {
  const Mixture& mixture = finished.mixture();
  result.status = finished.status();
  result.measurement = mixture.point;
  result.distance = finished.distance();
  result.certificate = finished.certificate();
  result.error = 0.5 * (result.distance * result.distance - std::pow(result.certificate.bound, 2));
  result.oracle_calls = finished.calls();
  result.policies_stored_max = finished.atoms_max();
  Vector variance = Vector::Zero(mixture.point.size());
  for (int i = 0; i < mixture.size(); ++i) {
    const int column = oracle.column(mixture.ids[i]);
    const Vector error = points.standard_errors.col(column);
    result.policies.push_back({points.ids[column], mixture.weights[i], mixture.atoms.col(i), error});
    variance.array() += (mixture.weights[i] * error.array()).square();
  }
  result.standard_error = variance.cwiseSqrt();
  std::sort(result.policies.begin(), result.policies.end(),
            [](const ResultPolicy& a, const ResultPolicy& b) { return a.weight > b.weight; });
}

}  // namespace

Result mix(const Points& points, const Target& target, const std::string& solver,
           const SolverOptions& options, const std::optional<std::string>& maximize) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  result.solver = solver;
  result.tolerance = options.tolerance;
  result.names = points.names;
  for (const Constraint& constraint : target.constraints) result.constraints.push_back(constraint.text);
  PointOracle oracle(points.values, points.has_standard_errors ? points.standard_errors : Matrix());

  if (maximize) {
    const auto name = std::find(points.names.begin(), points.names.end(), *maximize);
    if (name == points.names.end()) {
      throw InputError({.field = "--maximize"}, unknown_name_message("measurement", *maximize, points.names));
    }
    const auto maximizer = make_maximizer(MaximizeMethod::direct, solver, target.set,
                                          static_cast<int>(name - points.names.begin()), options);
    oracle.run(*maximizer);
    take(*maximizer, oracle, points, result);
    if (std::isfinite(maximizer->value())) {
      result.maximum = Maximum{*maximize, maximizer->value(), maximizer->upper_bound(), maximizer->grade()};
    }
  } else {
    const auto machine = make_solver(solver, target.set, options);
    oracle.run(*machine);
    take(*machine, oracle, points, result);
  }
  if (result.certificate.direction.size() > 0) result.slack = oracle.slack(result.certificate.direction);
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
  claim.slack = result.slack;
  claim.tolerance = result.tolerance;
  for (const ResultPolicy& policy : result.policies) {
    const auto id = std::find(points.ids.begin(), points.ids.end(), policy.id);
    if (id == points.ids.end()) return {fmt::format("there is no policy '{}' among the points", policy.id)};
    claim.weights[id - points.ids.begin()] += policy.weight;
  }
  std::vector<Constraint> constraints;
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
