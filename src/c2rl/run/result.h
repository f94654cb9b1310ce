#pragma once

#include <optional>
#include <string>
#include <vector>

#include "c2rl/base/json.h"
#include "c2rl/geometry/target.h"
#include "c2rl/solve/certificate.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

/// One policy of the mixture that was found.
struct ResultPolicy {
  std::string id;
  double weight = 0;
  Vector measurement;
  Vector standard_error;
  std::string file = {};  // of the policy, within the run directory; none where only its measurement is known
  Vector simulated = {};  // what it measures in the simulator, where `measurement` is an estimate from data
};

/// What maximising one measurement inside the target came to.
struct Maximum {
  std::string name;
  double value = 0;        // of the mixture
  double upper_bound = 0;  // no mixture inside the target exceeds it
  Grade grade = Grade::proof;
};

/// What the mixture of a run from data measures in the simulator, which the run did not see.
struct Simulated {
  Vector measurement;
  double distance = 0;  // to the target
};

/// How a solve ended: everything a reader needs, and everything a checker needs to do it again.
struct Result {
  std::string solver;
  double tolerance = 0;
  std::vector<std::string> names;        // of the measurements
  std::vector<std::string> constraints;  // as written
  Status status = Status::running;
  Vector measurement;
  Vector standard_error;
  double distance = 0;
  double error = 0;  // 1/2 distance^2 is at most this much above the optimum
  Certificate certificate;
  double slack = 0;  // how far the answer behind the certificate may be from optimal, along its direction
  int oracle_calls = 0;
  std::vector<ResultPolicy> policies;
  int policies_stored_max = 0;
  long env_steps = 0;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::optional<Maximum> maximum;
  std::optional<Simulated> simulated;  // of a run from data alone
  bool interrupted = false;  // stopped by the user before the solver was done
};

Json to_json(const Result& result);

/// Reads back what to_json wrote; a field that is missing or of the wrong kind is an InputError that names
/// it.
Result result_from_json(const Json& json);

/// 0 feasible or converged, 3 certified infeasible, 4 budget spent or oracle failed.
int exit_status(Status status);

}  // namespace c2rl
