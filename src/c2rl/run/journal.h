#pragma once

#include <optional>
#include <vector>

#include "c2rl/run/run_directory.h"
#include "c2rl/run/solve.h"

namespace c2rl {

/// What a run has done, kept in its directory where it has one. A run that goes on is told first what is
/// there, in place of doing it again.
class Journal {
 public:
  Journal(const RunDirectory* directory, SolveListener& listener);
  /// The same for a record that was read already.
  Journal(const RunDirectory* directory, Recorded recorded, SolveListener& listener);

  /// The next thing on record, which must be an answer for this direction, or a drawing of so many episodes of
  /// these policies; nothing once the record is used up. Anything else is an InputError: the record is another
  /// run's. But where budgets were raised, the rest is forgotten: the run did that because it had to end.
  std::optional<CallRecord> next_call(const Vector& direction);
  std::optional<DrawRecord> next_draw(const std::vector<int>& calls, const std::vector<std::int64_t>& counts);
  /// There must be nothing more on record.
  void end();

  void append(const RunRecord& record);
  /// Lines that are told or written.
  int lines() const { return static_cast<int>(next_); }

 private:
  const RunRecord* next() const { return next_ < records_.size() ? &records_[next_] : nullptr; }
  void forget_rest();

  const RunDirectory* directory_;
  SolveListener& listener_;
  std::vector<RunRecord> records_;
  std::size_t next_ = 0;
};

}  // namespace c2rl
