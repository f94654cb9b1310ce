#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "c2rl/geometry/target.h"
#include "c2rl/mdp/step_count.h"
#include "c2rl/run/objective.h"
#include "c2rl/solve/certificate.h"
#include "c2rl/solve/solver.h"

namespace c2rl {

/// One policy of the mixture that was found.
struct ResultPolicy {
  std::string id = {};
  double weight = 0;
  Vector measurement = {};
  Vector standard_error = {};
  std::int64_t episodes = 0;  // that the measurement is the mean of, where it was sampled
  std::int64_t cut = 0;       // of these, at the horizon
  std::string file = {};  // of the policy, within the run directory; none where only its measurement is known
  Vector simulated = {};  // what it measures in the simulator, where `measurement` is an estimate from data
  std::string seal = {};  // of the file
};

/// What fresh episodes have shown: combination.J of the mixture is at most this, and the target allows that.
struct ShownLimit {
  Vector combination;
  double at_most = 0;
  double allowed = 0;  // infinite where it is an end of a region that lies inside as a whole
};

/// What the claim that the mixture is inside rests on.
struct ResultClaim {
  bool proven = true;  // computed; else shown on fresh episodes, and true in this part of all runs:
  double level = 1;
  int attempts = 0;           // the one that showed it, from 1
  std::int64_t episodes = 0;  // of that attempt
  std::vector<ShownLimit> limits = {};
  /// How large an episode's total can get is not known: what happened in no episode is taken not to matter.
  bool assumes_nothing_unseen = false;
};

/// What the mixture of a run from data measures in the simulator, which the run did not see.
struct Simulated {
  Vector measurement;
  double distance = 0;  // to the target
};

/// What the world's model says of what was learned without it.
struct ModelCheck {
  Vector measurement;        // J of the mixture, computed
  double distance = 0;       // to the target
  bool contradicts = false;  // fresh episodes said inside, and it is not
  /// Where the search was stuck: no mixture is nearer to the target. 0 where the model shows no such bound.
  double distance_lower_bound = 0;
};

/// How a solve ended: everything a reader needs, and everything a checker needs to do it again.
struct Result {
  std::string solver;
  double tolerance = 0;
  std::vector<std::string> names;        // of the measurements
  std::vector<std::string> constraints;  // as written
  Status status = Status::running;
  ResultClaim claim = {};  // what a status of feasible, optimal or infeasible rests on
  Vector measurement;
  Vector standard_error;
  double distance = 0;
  double distance_error = 0;  // its standard error
  double error = 0;           // 1/2 distance^2 is at most this much above the optimum
  Certificate certificate;
  int oracle_calls = 0;
  std::vector<ResultPolicy> policies;
  int policies_stored_max = 0;
  StepCount steps = {};  // taken in the environment
  double seconds = 0;
  std::uint64_t seed = 0;
  std::optional<ObjectiveOptimum> optimum;
  std::optional<Simulated> simulated;  // of a run from data alone
  std::optional<ModelCheck> model;     // of a learning run in a world with a model
  /// For a mixture that seems inside, but is not confirmed: how many episodes would be expected to do so.
  std::optional<double> episodes_needed = {};
  bool interrupted = false;  // stopped by the user before the solver was done
  int records = 0;           // lines of the run's record that it rests on
  /// Where the oracle failed as often as it may: why, each time.
  std::vector<std::string> failures = {};
};

/// What a solver has come to. Of each policy of the mixture, `member` says what the solver does not know: its
/// id, file and standard error, by the call that found it. `objective` is what the solver maximises, if it
/// does. Calls, steps and seconds spent elsewhere are the caller's to fill in.
Result make_result(const Solver& solver, const std::string& solver_kind, const Target& target,
                   const std::optional<Objective>& objective,
                   const std::function<ResultPolicy(int call)>& member);

/// The result as result.json has it: one JSON object, indented.
std::string to_json_text(const Result& result);

/// Whether the constraints hold, as the result's claim says.
bool holds(Status status);

/// 0: the constraints hold; 3: proven that they cannot; 4: neither is known.
int exit_status(Status status);

}  // namespace c2rl
