#include "c2rl/run/solve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
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
        if (directory_) directory_->append(record);
        env_steps_ += record.env_steps;
        if (directory_) remove_unused_policies(record.cycle);
        if (!listener_.call_finished(record)) throw OracleInterrupted();
      }
    } catch (const OracleInterrupted&) {
      interrupted_ = true;
    }
    problem_.oracle->watch({});
    Result result = make_result(seconds_since(start));
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
    directory_->clean_up(solver_->mixture().ids);
  }

  /// Those of the atoms that left, and the answer's when it did not become an atom.
  void remove_unused_policies(const Cycle& cycle) const {
    for (const int call : cycle.dropped) directory_->remove_policy(call);
    const std::vector<int>& ids = solver_->mixture().ids;
    if (std::find(ids.begin(), ids.end(), cycle.call) == ids.end()) directory_->remove_policy(cycle.call);
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
      OracleAnswer found =
          problem_.oracle->minimize(direction, stream.fork("attempt", static_cast<std::uint64_t>(attempt)),
                                    std::pow(kEffortGrowth, attempt));
      record.env_steps += found.env_steps;
      record.attempts = attempt + 1;
      if (!best.policy || direction.dot(found.measurement) < direction.dot(best.measurement))
        best = std::move(found);
      if (best.exact || improves(direction, best)) break;
    }
    record.answer = to_answer(best, direction);
    if (directory_) directory_->save_policy(record.call, *best.policy);
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
  std::map<int, Vector> errors_;  // standard error of each call's answer
  std::int64_t env_steps_ = 0;
  bool interrupted_ = false;
};

}  // namespace

Result solve(const Problem& problem, const RunDirectory* directory, SolveListener& listener) {
  return Run(problem, directory, listener).execute();
}

}  // namespace c2rl
