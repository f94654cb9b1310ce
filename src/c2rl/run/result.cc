#include "c2rl/run/result.h"

#include <algorithm>

namespace c2rl {

Result make_result(const Solver& solver, const std::string& solver_kind, const Target& target,
                   const std::optional<Objective>& objective,
                   const std::function<ResultPolicy(int call)>& member) {
  const Mixture& mixture = solver.mixture();
  Result result;
  result.solver = solver_kind;
  result.tolerance = solver.options().tolerance;
  result.names = target.names;
  for (const Constraint& constraint : target.constraints) result.constraints.push_back(constraint.text);
  result.status = solver.status() == Status::running ? Status::budget : solver.status();
  const Vector nothing = Vector::Zero(solver.target().dim());
  result.measurement = mixture.empty() ? nothing : mixture.point;
  result.distance = solver.distance();
  result.certificate = solver.certificate();
  result.error = std::max(0.0, solver.error_bound());
  result.oracle_calls = solver.calls();
  result.policies_stored_max = solver.atoms_max();
  Vector variance = nothing;
  for (int i = 0; i < mixture.size(); ++i) {
    ResultPolicy policy = member(mixture.ids[i]);
    policy.weight = mixture.weights[i];
    if (policy.measurement.size() == 0) policy.measurement = mixture.atoms.col(i);
    if (policy.standard_error.size() == 0) policy.standard_error = nothing;
    variance.array() += (mixture.weights[i] * policy.standard_error.array()).square();
    result.policies.push_back(std::move(policy));
  }
  result.standard_error = variance.cwiseSqrt();
  if (const auto bracket = solver.maximum(); bracket && objective)
    result.optimum = objective->optimum(*bracket);
  return result;
}

bool holds(Status status) {
  return status == Status::feasible || status == Status::optimal;
}

int exit_status(Status status) {
  switch (status) {
    case Status::feasible:
    case Status::optimal:
      return 0;
    case Status::infeasible:
      return 3;
    case Status::stuck:
    case Status::undecided:
    case Status::budget:
    case Status::oracle_failed:
      return 4;
    case Status::running:
      break;
  }
  return 1;
}

}  // namespace c2rl
