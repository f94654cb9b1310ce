#include "c2rl/run/mix.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "c2rl/run/evaluation.h"
#include "c2rl/run/measured_points.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

/// One question about known policies.
class Mixing {
 public:
  Mixing(const Points& points, const Target& target, const std::string& solver, const SolverOptions& options,
         const std::optional<Objective>& objective)
      : points_(points), target_(target), solver_(solver), options_(options), objective_(objective) {
    const SolverKind& kind = solver_kinds().find(solver);
    kind.check_suits(*target.set);
    maker_ = kind.configure(nullptr);
    if (objective) uphill_ = objective->uphill();
  }

  Result result() const {
    const auto region = region_of(points_, target_, uphill_, kConfidence);
    return region ? measured(*region) : exact(uphill_);
  }

 private:
  std::unique_ptr<Solver> machine(SetPtr set, const std::optional<Vector>& uphill) const {
    if (!uphill) return maker_.make(std::move(set), options_);
    return make_maximizer(objective_->method, maker_, std::move(set), *uphill, options_);
  }

  ResultPolicy member(int column) const {
    return {.id = points_.ids[column], .standard_error = points_.standard_errors.col(column)};
  }

  Result exact(const std::optional<Vector>& uphill) const {
    const auto solver = machine(target_.set, uphill);
    PointOracle oracle(points_.values);
    oracle.run(*solver);
    return make_result(*solver, solver_, target_, objective_,
                       [&](int call) { return member(oracle.column(call)); });
  }

  Result measured(const Region& region) const {
    const SafeProblem safe = safe_problem(region, target_, uphill_);
    std::optional<Vector> last;
    if (uphill_) last = Vector::Unit(safe.set->dim(), safe.set->dim() - 1);
    const auto cautious = machine(safe.set, last);
    PointOracle oracle(safe.points);
    oracle.run(*cautious);
    // What no mixture can do, wherever the points are, is also the bound on what one can.
    const auto hopeful = machine(target_.set, uphill_);
    if (uphill_ || cautious->status() != Status::feasible) run_over_boxes(region, *hopeful);

    const bool out_of_reach = hopeful->status() == Status::infeasible;
    Result result = out_of_reach ? exact(std::nullopt) : of_mixture(*cautious, oracle);
    result.claim = {.proven = false, .level = region.level};
    result.oracle_calls = cautious->calls() + hopeful->calls();
    result.certificate = {};
    if (out_of_reach) {
      result.status = Status::infeasible;
      result.certificate = of_the_measured(hopeful->certificate());
    } else if (cautious->maximum()) {
      bracket(region, *hopeful, result);
    } else if (cautious->status() == Status::infeasible || cautious->status() == Status::stuck) {
      result.status = Status::undecided;
    }
    result.error = std::max(0.0, error_above(result.distance, result.certificate.bound));
    return result;
  }

  /// A mixture found over other coordinates, as one of the measured policies.
  Result of_mixture(const Solver& solver, const PointOracle& oracle) const {
    Result result = make_result(solver, solver_, target_, std::nullopt,
                                [&](int call) { return member(oracle.column(call)); });
    result.measurement = Vector::Zero(target_.set->dim());
    Vector variance = result.measurement;
    for (size_t i = 0; i < result.policies.size(); ++i) {
      ResultPolicy& policy = result.policies[i];
      policy.measurement = points_.values.col(oracle.column(solver.mixture().ids[i]));
      result.measurement += policy.weight * policy.measurement;
      variance.array() += (policy.weight * policy.standard_error.array()).square();
    }
    result.standard_error = variance.cwiseSqrt();
    result.distance = target_.set->distance(result.measurement);
    return result;
  }

  /// The certificate over the boxes, as one over the measured points, which may be off by the slack.
  Certificate of_the_measured(Certificate certificate) const {
    certificate.slack =
        (certificate.direction.transpose() * points_.values).minCoeff() - certificate.achievable_at;
    certificate.grade = Grade::evidence;
    return certificate;
  }

  void bracket(const Region& region, const Solver& hopeful, Result& result) const {
    const double value = uphill_->dot(result.measurement);
    double width = 0;
    for (const ResultPolicy& policy : result.policies) {
      const auto id = std::find(points_.ids.begin(), points_.ids.end(), policy.id);
      width += policy.weight * uphill_->cwiseAbs().dot(region.half_widths.col(id - points_.ids.begin()));
    }
    const auto most = hopeful.maximum();
    const double upper_bound = std::max(value, most ? most->upper_bound : kInfinity);
    result.optimum =
        objective_->optimum({.value = value, .upper_bound = upper_bound, .grade = Grade::evidence});
    const double low = objective_->in_its_units(value - width);
    const double high = objective_->in_its_units(std::min(value + width, upper_bound));
    result.optimum->interval = Vector{{std::min(low, high), std::max(low, high)}};
    if (result.status == Status::optimal) result.status = hopeful.status();
  }

  const Points& points_;
  const Target& target_;
  const std::string& solver_;
  const SolverOptions& options_;
  const std::optional<Objective>& objective_;
  SolverMaker maker_;
  std::optional<Vector> uphill_;  // the objective's
};

}  // namespace

Result mix(const Points& points, const Target& target, const std::string& solver,
           const SolverOptions& options, const std::optional<Objective>& objective) {
  const auto start = std::chrono::steady_clock::now();
  Result result = Mixing(points, target, solver, options, objective).result();
  std::sort(result.policies.begin(), result.policies.end(),
            [](const ResultPolicy& a, const ResultPolicy& b) { return a.weight > b.weight; });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace c2rl
