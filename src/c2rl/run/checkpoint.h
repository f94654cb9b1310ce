#pragma once

#include <memory>
#include <optional>
#include <string>

#include "c2rl/base/stopwatch.h"
#include "c2rl/run/run_directory.h"
#include "c2rl/run/solve.h"

namespace c2rl {

/// How far a call has come that is not on record yet.
struct Checkpoint {
  CallRecord record;             // the best of the attempts that are finished, and what they took
  int attempt = 0;               // that is going on, from 0
  int failed = 0;                // how often it has failed
  MemoryPtr left_off = nullptr;  // where the attempt before it was in the end
  std::shared_ptr<const Safetensors> state = nullptr;  // of the oracle in it; null: it begins
};

/// Keeps the checkpoint of a run's call in its directory, a new one every `checkpoint_seconds`. The clock says
/// when, and nothing else: whether a call goes on from one or begins anew, it comes to the same end.
class Checkpoints {
 public:
  Checkpoints(const Problem& problem, const RunDirectory* directory, SolveListener& listener)
      : problem_(problem), directory_(directory), listener_(listener) {}

  /// A call begins, or goes on from what was left of it. What is damaged is said, and anything else than this
  /// call is of no use; both are removed.
  Checkpoint begin(int call, const Vector& direction);
  /// Whether any are saved, and whether it is time for the next.
  bool are_kept() const;
  bool is_due() const;
  /// With the oracle's state, unless `oracle` is empty.
  void save(Checkpoint now, const StateVisit& oracle);
  /// The call is on record, or has come to nothing.
  void end();

 private:
  std::string history() const;
  std::optional<Checkpoint> read() const;

  const Problem& problem_;
  const RunDirectory* directory_;
  SolveListener& listener_;
  Stopwatch since_last_;
};

}  // namespace c2rl
