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
    try {
      while (const auto direction = solver_->ask()) {
        CallRecord record = minimize(*direction);
        record.cycle = solver_->tell(record.answer);
        keep(record);
      }
    } catch (const OracleInterrupted&) {
      interrupted_ = true;
    }
    Result result = describe(seconds_since(start));
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

  /// The oracle's answer to a direction. One that does not improve the mixture is asked for again, with more
  /// effort, where effort can help.
  CallRecord minimize(const Vector& direction) {
    constexpr double kEffortGrowth = 4;
    const auto start = Clock::now();
    CallRecord record;
    record.call = solver_->calls() + 1;
    record.direction = direction;
    const Rng stream = Rng(problem_.seed).fork("oracle", static_cast<std::uint64_t>(record.call));
    OracleAnswer best;
    for (int attempt = 0; attempt <= problem_.patience.retries; ++attempt) {
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
    record.policy = best.policy;
    record.seconds = seconds_since(start);
    return record;
  }

  OracleCall oracle_call(const Vector& direction, const Rng& rng, double effort) const {
    OracleCall call{.direction = direction, .rng = rng, .effort = effort};
    call.watcher = [this, number = solver_->calls() + 1](double part) {
      return listener_.oracle_progress(number, part);
    };
    const Mixture& mixture = solver_->mixture();
    if (mixture.empty()) return call;
    Eigen::Index best = 0;
    (mixture.atoms.transpose() * direction).minCoeff(&best);
    call.start = policies_.at(mixture.ids[best]);
    // A policy on the far side of the hyperplane that separates mixture and target takes the mixture there.
    const Vector nearest = solver_->target().project(mixture.point);
    const Vector gap = mixture.point - nearest;
    constexpr double kParallel = 1 - 1e-9;
    if (!gap.isZero(0) && gap.dot(direction) >= kParallel * gap.norm() * direction.norm())
      call.enough = direction.dot(nearest);
    return call;
  }

  bool improves(const Vector& direction, const OracleAnswer& found) const {
    if (solver_->mixture().empty()) return true;
    const double gap = direction.dot(solver_->mixture().point - found.measurement);
    return gap > problem_.solver.tolerance +
                     PointOracle::kStandardErrors * direction.cwiseProduct(found.standard_error).norm();
  }

  /// Puts a finished call on record, its policy before the line that speaks of it, and forgets the policies
  /// that the solver has no more use for.
  void keep(CallRecord& record) {
    record.mixture = solver_->mixture();
    policies_[record.call] = record.policy;
    errors_[record.call] = record.answer.standard_error;
    env_steps_ += record.env_steps;
    if (directory_) {
      directory_->save_policy(record.call, *record.policy);
      directory_->append(record);
    }
    std::vector<int> needed = solver_->needed();
    std::ranges::sort(needed);
    std::erase_if(policies_, [&](const auto& entry) {
      const bool unused = !std::ranges::binary_search(needed, entry.first);
      if (unused && directory_) directory_->remove_policy(entry.first);
      return unused;
    });
    if (!listener_.call_finished(record)) throw OracleInterrupted();
  }

  Result describe(double seconds) const {
    Result result = make_result(*solver_, problem_.solver_kind->name, problem_.target, problem_.objective,
                                [this](int call) {
                                  return ResultPolicy{.id = fmt::format("call-{}", call),
                                                      .standard_error = errors_.at(call),
                                                      .file = RunDirectory::policy_file(call)};
                                });
    result.env_steps = env_steps_;
    result.seconds = seconds;
    result.seed = problem_.seed;
    result.interrupted = interrupted_;
    return result;
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
