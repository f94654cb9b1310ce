#include "c2rl/run/solve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/solve/point_oracle.h"

namespace c2rl {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Answer to_answer(const OracleAnswer& found, const Vector& direction) {
  Answer answer;
  answer.point = found.measurement;
  answer.slack = found.slack;
  if (!found.exact) {
    answer.grade = Grade::evidence;
    answer.standard_error = found.standard_error;
    // The value along the direction is itself an estimate.
    answer.slack +=
        PointOracle::kStandardErrors * direction.stableNormalized().cwiseProduct(found.standard_error).norm();
  }
  return answer;
}

/// One run of a problem: the solver, and the policies its mixture needs.
class Run {
 public:
  Run(const Problem& problem, const RunDirectory* directory, SolveListener& listener)
      : problem_(problem), directory_(directory), listener_(listener), solver_(make_solver(problem)) {}

  Result execute() {
    const auto start = Clock::now();
    replay();
    problem_.oracle->watch(
        [&](double part) { return listener_.oracle_progress(solver_->calls() + 1, part); });
    try {
      while (const auto direction = solver_->ask()) {
        CallRecord record = ask_oracle(*direction);
        record.cycle = solver_->tell(record.answer);
        record.mixture = solver_->mixture();
        if (directory_) directory_->append(record);
        env_steps_ += record.env_steps;
        forget_policies();
        if (!listener_.call_finished(record)) throw OracleInterrupted();
      }
    } catch (const OracleInterrupted&) {
      interrupted_ = true;
    }
    problem_.oracle->watch({});
    Result result = make_result(seconds_since(start));
    if (problem_.oracle->is_offline() && !interrupted_) simulate(result);
    if (directory_) directory_->write_result(result);
    return result;
  }

 private:
  /// Tells the solver what is on record, which brings it to where the run stopped.
  void replay() {
    if (!directory_) return;
    for (const CallRecord& record : directory_->read_records()) {
      const auto direction = solver_->ask();
      if (!direction) break;
      if (*direction != record.direction) {
        throw InputError(
            {.file = directory_->path()},
            fmt::format("call {} on record was for another problem; a run can only be resumed with the "
                        "problem, seed and solver it was started with",
                        record.call));
      }
      solver_->tell(record.answer);
      env_steps_ += record.env_steps;
      errors_[record.call] = record.answer.standard_error;
    }
    directory_->clean_up(solver_->needed());
    for (const int id : solver_->needed())
      policies_[id] = directory_->load_policy(RunDirectory::policy_file(id));
  }

  /// Forgets the policies that the solver has no more use for.
  void forget_policies() {
    std::vector<int> needed = solver_->needed();
    std::ranges::sort(needed);
    std::erase_if(policies_, [&](const auto& entry) {
      const bool unused = !std::ranges::binary_search(needed, entry.first);
      if (unused && directory_) directory_->remove_policy(entry.first);
      return unused;
    });
  }

  OracleCall oracle_call(const Vector& direction, const Rng& rng, double effort) const {
    OracleCall call{.direction = direction, .rng = rng, .effort = effort};
    const Mixture& mixture = solver_->mixture();
    if (mixture.empty()) return call;
    Eigen::Index best = 0;
    (mixture.atoms.transpose() * direction).minCoeff(&best);
    call.start = policies_.at(mixture.ids[best]);
    // A policy on the far side of the hyperplane that separates mixture and target takes the mixture there.
    const Vector nearest = solver_->target().project(mixture.point);
    const Vector gap = mixture.point - nearest;
    constexpr double kParallel = 1 - 1e-9;
    if (gap.dot(direction) >= kParallel * gap.norm() * direction.norm()) call.enough = direction.dot(nearest);
    return call;
  }

  /// An answer that does not improve the mixture is asked for again, with more effort, where effort can help.
  CallRecord ask_oracle(const Vector& direction) {
    constexpr double kEffortGrowth = 4;
    const auto start = Clock::now();
    CallRecord record;
    record.call = solver_->calls() + 1;
    record.direction = direction;
    const Rng stream = Rng(problem_.seed).fork("oracle", static_cast<std::uint64_t>(record.call));
    OracleAnswer best;
    for (int attempt = 0; attempt <= problem_.oracle_retries; ++attempt) {
      OracleAnswer found = problem_.oracle->minimize(
          oracle_call(direction, stream.fork("attempt", static_cast<std::uint64_t>(attempt)),
                      std::pow(kEffortGrowth, attempt)));
      record.env_steps += found.env_steps;
      record.attempts = attempt + 1;
      if (!best.policy || direction.dot(found.measurement) < direction.dot(best.measurement))
        best = std::move(found);
      if (best.exact || improves(direction, best)) break;
    }
    record.answer = to_answer(best, direction);
    if (directory_) directory_->save_policy(record.call, *best.policy);
    listener_.policy_found(record.call, best.policy);
    policies_[record.call] = best.policy;
    errors_[record.call] = record.answer.standard_error;
    record.seconds = seconds_since(start);
    return record;
  }

  bool improves(const Vector& direction, const OracleAnswer& found) const {
    if (solver_->mixture().empty()) return true;
    const double gap = direction.dot(solver_->mixture().point - found.measurement);
    return gap > problem_.solver.tolerance +
                     PointOracle::kStandardErrors * direction.cwiseProduct(found.standard_error).norm();
  }

  /// What the mixture really measures, beside what the data said.
  void simulate(Result& result) const {
    const Mixture& mixture = solver_->mixture();
    Simulated found{Vector::Zero(problem_.world.dim()), 0};
    for (int i = 0; i < mixture.size(); ++i) {
      Vector& simulated = result.policies[static_cast<std::size_t>(i)].simulated;
      simulated = simulated_measurement(problem_.world, *policies_.at(mixture.ids[i]),
                                        simulation_of(problem_, mixture.ids[i]));
      found.measurement += mixture.weights[i] * simulated;
    }
    found.distance = solver_->target().distance(found.measurement);
    result.simulated = found;
  }

  Result make_result(double seconds) const {
    const Mixture& mixture = solver_->mixture();
    Result result;
    result.solver = problem_.solver_kind;
    result.tolerance = problem_.solver.tolerance;
    result.names = problem_.world.measurements;
    for (const Constraint& constraint : problem_.target.constraints)
      result.constraints.push_back(constraint.text);
    result.interrupted = interrupted_;
    result.status = solver_->status() == Status::running ? Status::budget : solver_->status();
    result.measurement = mixture.empty() ? Vector(problem_.world.dim()).setZero() : mixture.point;
    result.distance = solver_->distance();
    result.certificate = solver_->certificate();
    result.error = std::max(0.0, solver_->error_bound());
    result.oracle_calls = solver_->calls();
    result.policies_stored_max = solver_->atoms_max();
    result.env_steps = env_steps_;
    result.seconds = seconds;
    result.seed = problem_.seed;
    Vector variance = Vector::Zero(problem_.world.dim());
    for (int i = 0; i < mixture.size(); ++i) {
      const int id = mixture.ids[i];
      Vector error = errors_.at(id);
      if (error.size() == 0) error = Vector::Zero(problem_.world.dim());
      variance.array() += (mixture.weights[i] * error.array()).square();
      result.policies.push_back({fmt::format("call-{}", id), mixture.weights[i], mixture.atoms.col(i), error,
                                 RunDirectory::policy_file(id)});
    }
    result.standard_error = variance.cwiseSqrt();
    if (const auto* maximizer = dynamic_cast<const Maximizer*>(solver_.get());
        maximizer && problem_.maximize && std::isfinite(maximizer->value())) {
      result.maximum = Maximum{result.names[*problem_.maximize], maximizer->value(), maximizer->upper_bound(),
                               maximizer->grade()};
    }
    return result;
  }

  const Problem& problem_;
  const RunDirectory* directory_;
  SolveListener& listener_;
  std::unique_ptr<Solver> solver_;
  std::map<int, Vector> errors_;       // standard error of each call's answer
  std::map<int, PolicyPtr> policies_;  // those needed, by call
  std::int64_t env_steps_ = 0;
  bool interrupted_ = false;
};

}  // namespace

Vector simulated_measurement(const World& world, const Policy& policy, const Rng& rng) {
  constexpr int kEpisodes = 1000;
  return world.model ? evaluate(*world.model, policy).measurement
                     : estimate(world, policy, kEpisodes, rng).measurement;
}

Rng simulation_of(const Problem& problem, int call) {
  return Rng(problem.seed).fork("simulate", static_cast<std::uint64_t>(call));
}

Result solve(const Problem& problem, const RunDirectory* directory, SolveListener& listener) {
  return Run(problem, directory, listener).execute();
}

}  // namespace c2rl
