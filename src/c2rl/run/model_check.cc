#include "c2rl/run/model_check.h"

#include <algorithm>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/oracle/dynamic_programming.h"

namespace c2rl {
namespace {

/// Transitions that may be gone through, a few seconds' worth.
constexpr double kMostTransitions = 1e9;

bool is_cheap(const TabularModel& model, int policies) {
  constexpr double kSweeps = 1000;  // of a model without horizon
  const double sweeps = model.horizon > 0 ? model.horizon : kSweeps;
  return sweeps * model.transitions() * policies <= kMostTransitions;
}

}  // namespace

void check_with_model(const Problem& problem, const MixedPolicy& mixed, Result& result,
                      const Pulse& listener) {
  const auto& model = problem.world.model;
  if (!model || problem.oracle_kind->exact || !is_cheap(*model, mixed.size() + 1)) return;
  ModelCheck check;
  check.measurement = evaluate(*model, mixed, listener).measurement;
  check.distance = problem.target.set->distance(check.measurement);
  check.contradicts = holds(result.status) && check.distance > result.tolerance;
  const Certificate& certificate = result.certificate;
  if (result.status == Status::stuck && certificate.direction.size() > 0) {
    const OracleAnswer best =
        DynamicProgramming(model, {}, listener)
            .minimize({.direction = certificate.direction, .rng = Rng(problem.seed), .watcher = [&](double) {
                         return pulse(listener), true;
                       }});
    const double least = certificate.direction.dot(best.measurement) - best.slack;
    check.distance_lower_bound = std::max(0.0, least - certificate.target_at);
  }
  if (check.contradicts) result.status = Status::undecided;
  result.model = check;
}

}  // namespace c2rl
