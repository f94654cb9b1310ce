#pragma once

#include <functional>

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
  /// A call is finished and recorded. False asks to stop.
  virtual bool call_finished(const CallRecord& /*record*/) { return true; }
};

/// Solves the problem: asks the solver, asks the oracle, tells, records, until the solver ends or the
/// listener wants to stop. With a directory, goes on after what is recorded there, and leaves record,
/// policies and result in it; without, only the result is returned.
Result solve(const Problem& problem, const RunDirectory* directory, SolveListener& listener);

}  // namespace c2rl
