#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "c2rl/geometry/target.h"
#include "c2rl/solve/certificate.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

/// One policy of the mixture that was found.
struct ResultPolicy {
  std::string id = {};
  double weight = 0;
  Vector measurement = {};
  Vector standard_error = {};
  std::string file = {};  // of the policy, within the run directory; none where only its measurement is known
  Vector simulated = {};  // what it measures in the simulator, where `measurement` is an estimate from data
};

/// What maximising one measurement inside the target came to.
struct Maximum {
  std::string name;
  Bracket bracket;
  /// Lowest and highest that the mixture's value may be, where measurements are estimates: with the claim's
  /// confidence, together with everything else that is claimed. Empty where it is exact.
  Vector interval = {};
};

/// What the mixture of a run from data measures in the simulator, which the run did not see.
struct Simulated {
  Vector measurement;
  double distance = 0;  // to the target
};

/// What the status rests on.
struct ResultClaim {
  bool proven = true;  // else it holds with a confidence
  double level = 1;    // of the confidence; 1 where it is proven
};

/// How a solve ended: everything a reader needs, and everything a checker needs to do it again.
struct Result {
  std::string solver;
  double tolerance = 0;
  std::vector<std::string> names;        // of the measurements
  std::vector<std::string> constraints;  // as written
  Status status = Status::running;
  ResultClaim claim;
  Vector measurement;
  Vector standard_error;
  double distance = 0;
  double error = 0;  // 1/2 distance^2 is at most this much above the optimum
  Certificate certificate;
  int oracle_calls = 0;
  std::vector<ResultPolicy> policies;
  int policies_stored_max = 0;
  std::int64_t env_steps = 0;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::optional<Maximum> maximum;
  std::optional<Simulated> simulated;  // of a run from data alone
  bool interrupted = false;            // stopped by the user before the solver was done
};

/// What a solver has come to. Of each policy of the mixture, `member` says what the solver does not know: its
/// id, file and standard error, by the call that found it. `maximized` names the measurement that is
/// maximised, if one is. Calls, steps and seconds spent elsewhere are the caller's to fill in.
Result make_result(const Solver& solver, const std::string& solver_kind, const Target& target,
                   const std::optional<std::string>& maximized,
                   const std::function<ResultPolicy(int call)>& member);

/// The result as result.json has it: one JSON object, indented.
std::string to_json_text(const Result& result);

/// 0: the constraints hold; 3: proven that they cannot; 4: neither is known.
int exit_status(Status status);

}  // namespace c2rl
