#include "c2rl/run/solve.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/run/model_check.h"
#include "c2rl/run/recall.h"
#include "c2rl/run/search.h"

namespace c2rl {
namespace {

using Clock = std::chrono::steady_clock;

/// What the search rests its claim on.
ResultClaim claim_of(const Search& search, const Problem& problem) {
  ResultClaim claim;
  if (!search.confirmed()) return claim;
  const Confirmed& confirmed = *search.confirmed();
  claim.proven = false;
  claim.level = problem.confirmation.confidence;
  claim.attempts = confirmed.attempt;
  claim.episodes = confirmed.episodes;
  for (int i = 0; i < search.demands().size(); ++i) {
    const Demand& demand = search.demands()[i];
    claim.limits.push_back({demand.combination, confirmed.upper_limits[i], demand.limit});
    claim.assumes_nothing_unseen |= demand.range.highest == kInfinity;
  }
  return claim;
}

Result describe(const Search& search, const Problem& problem) {
  const Mixture mixture = search.mixture();
  Result result = make_result(search.solver(), problem.solver_kind->name, problem.target, problem.objective,
                              [&, next = 0](int) mutable {
                                const int call = mixture.ids[static_cast<std::size_t>(next++)];
                                const Measured& measured = search.repertoire().measured(call);
                                return ResultPolicy{.id = fmt::format("call-{}", call),
                                                    .measurement = measured.point,
                                                    .standard_error = measured.standard_error,
                                                    .episodes = measured.episodes,
                                                    .cut = measured.cut,
                                                    .file = RunDirectory::policy_file(call),
                                                    .seal = search.repertoire().seal(call)};
                              });
  result.status = search.status() == Status::running ? Status::budget : search.status();
  result.claim = claim_of(search, problem);
  result.episodes_needed = search.episodes_needed();
  // The solver's own target may have been a tightened one, and the estimates may have moved since.
  if (!mixture.empty()) {
    result.measurement.setZero();
    for (const ResultPolicy& policy : result.policies)
      result.measurement += policy.weight * policy.measurement;
    const Vector away = result.measurement - problem.target.set->project(result.measurement);
    result.distance = away.norm();
    result.distance_error = search.repertoire().error_along(mixture, away.stableNormalized());
  }
  if (const auto bracket = search.bracket()) result.optimum = problem.objective->optimum(*bracket);
  result.certificate = search.certificate();
  if (result.certificate.grade == Grade::evidence)
    result.certificate.bound = std::min(result.certificate.bound, result.distance);
  result.error = std::max(0.0, error_above(result.distance, result.certificate.bound));
  result.oracle_calls = search.calls();
  result.policies_stored_max = search.policies_stored_max();
  result.steps = search.steps();
  result.seed = problem.seed;
  result.records = search.lines();
  return result;
}

MixedPolicy mixed_policy(const Search& search) {
  const Mixture mixture = search.mixture();
  std::vector<PolicyPtr> policies;
  policies.reserve(mixture.ids.size());
  for (const int call : mixture.ids) policies.push_back(search.repertoire().policy(call));
  return {mixture.weights / mixture.weights.sum(), std::move(policies)};
}

/// What the mixture of a run from data really measures, beside what the data said.
void simulate(const Search& search, const Problem& problem, Result& result) {
  const Mixture mixture = search.mixture();
  Simulated found{Vector::Zero(problem.world.dim()), 0};
  for (int i = 0; i < mixture.size(); ++i) {
    const int call = mixture.ids[static_cast<std::size_t>(i)];
    Vector& simulated = result.policies[static_cast<std::size_t>(i)].simulated;
    simulated =
        simulated_measurement(problem.world, *search.repertoire().policy(call), simulation_of(problem, call));
    found.measurement += mixture.weights[i] * simulated;
  }
  found.distance = problem.target.set->distance(found.measurement);
  result.simulated = found;
}

/// One search from the start, told first what is on record; its result.
Result search(const Problem& problem, const RunDirectory* directory, SolveListener& listener,
              const std::set<int>& lost, Clock::time_point start) {
  Search search(problem, directory, listener, lost);
  bool interrupted = false, failed = false;
  try {
    search.run();
  } catch (const OracleInterrupted&) {
    interrupted = true;
  } catch (const OracleFailed&) {
    failed = true;
  }
  Result result = describe(search, problem);
  if (failed) {
    result.status = Status::oracle_failed;
    result.failures = search.failures();
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.interrupted = interrupted;
  if (!interrupted && !failed && !search.mixture().empty()) {
    try {
      if (problem.oracle->is_offline()) simulate(search, problem, result);
      check_with_model(problem, mixed_policy(search), result, [&] {
        if (!listener.checking()) throw OracleInterrupted();
      });
    } catch (const OracleInterrupted&) {  // what the run has found does not depend on it
    }
  }
  if (directory && directory->is_writable()) directory->write_result(result);
  return result;
}

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
  const auto start = Clock::now();
  if (directory) {
    directory->go_on_with(problem);
    if (const auto fault = directory->fault_of_result()) listener.noticed(*fault);
    if (directory->is_writable()) problem.oracle->log_to(directory->path() + "/oracle.log");
  }
  std::set<int> lost;
  while (true) {
    try {
      return search(problem, directory, listener, lost, start);
    } catch (const LostPolicy& policy) {
      if (!lost.insert(policy.call).second || !directory->is_writable()) throw InputError(policy.why);
      listener.noticed(fmt::format("{}; call {} is made again", policy.why, policy.call));
    }
  }
}

Result recall(const Problem& problem, const RunDirectory& directory, SolveListener& listener) {
  return recall(problem, directory, directory.read_records(), listener);
}

Result recall(const Problem& problem, const RunDirectory& directory, const Recorded& recorded,
              SolveListener& listener) {
  if (directory.is_writable()) throw std::logic_error("recall: a run that is open to read is expected");
  Search search(problem, directory, recorded, listener);
  try {
    search.run();
  } catch (const OracleInterrupted&) {  // the record is used up
  } catch (const LostPolicy&) {         // nobody is going to follow it
  }
  Result result = describe(search, problem);
  result.status = search.status();
  return result;
}

}  // namespace c2rl
