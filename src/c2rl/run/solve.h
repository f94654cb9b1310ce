#pragma once

#include "c2rl/run/problem.h"
#include "c2rl/run/result.h"
#include "c2rl/run/run_directory.h"

namespace c2rl {

/// Hears how a solve goes; algorithms themselves never print.
class SolveListener {
 public:
  virtual ~SolveListener() = default;
  /// Oracle call `call` has been going on with `part` of it done. False asks to stop.
  virtual bool oracle_progress(int /*call*/, double /*part*/) { return true; }
  /// Call `call` failed and is made again, or drawing episodes after it.
  virtual void failed(int /*call*/, const std::string& /*reason*/) {}
  /// A call is finished and recorded. False asks to stop.
  virtual bool call_finished(const CallRecord& /*record*/) { return true; }
  /// Of the episodes that are to tell more about policies found, `part` are done; `confirmation` is the number
  /// of the attempt to confirm a mixture, 0 where it is for the search. False asks to stop.
  virtual bool drawing(int /*confirmation*/, double /*part*/) { return true; }
  /// Episodes were drawn and recorded, or were on record.
  virtual void drawn(const DrawRecord& /*record*/) {}
  /// A call that was on record has been told again; its policy is not there.
  virtual void call_recalled(const CallRecord& /*record*/) {}
  /// Something about the run directory that the user should know, in words.
  virtual void noticed(const std::string& /*what*/) {}
  /// The world's model is asked what an episode can measure, or, when the run has ended, what it says of the
  /// result. False asks to stop.
  virtual bool checking() { return true; }
};

/// Solves the problem: asks the solver, asks the oracle, tells, records, until the solver ends or the
/// listener wants to stop. Where J of the policies is sampled, what the solver ends with is a hypothesis: it
/// is confirmed on fresh episodes before it is called feasible, and the search goes on where they do not.
///
/// With a directory, goes on after what is recorded there, and leaves record, policies and result in it;
/// without, only the result is returned. One that is open to read only is told again as far as its record
/// goes, and stays as it is. The directory must be of this problem. Where the last line of its record or a
/// policy in use is damaged or missing, the oracle is asked the same again. Where the oracle learns from data
/// alone, the simulator is first asked once the run has ended, about the policies of its mixture.
Result solve(const Problem& problem, const RunDirectory* directory, SolveListener& listener);

/// What a run has done so far, as its record tells it: `listener` hears of each call (call_recalled), with the
/// mixture after it. Nothing is asked, drawn or written, so that another process may be at the run. The result as
/// far as the record goes; its status is `running` where the search had not come to an end by then.
Result recall(const Problem& problem, const RunDirectory& directory, SolveListener& listener);

/// What a policy measures in the world itself: computed where there is a model, else over many episodes.
Vector simulated_measurement(const World& world, const Policy& policy, const Rng& rng);
/// The stream for doing so with the policy of a call.
Rng simulation_of(const Problem& problem, int call);

}  // namespace c2rl
