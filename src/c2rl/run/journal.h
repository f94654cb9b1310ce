#pragma once

#include <optional>
#include <vector>

#include "c2rl/run/run_directory.h"

namespace c2rl {

/// What a run has done, kept in its directory where it has one. A run that goes on is told first what is
/// there, in place of doing it again.
class Journal {
 public:
  explicit Journal(const RunDirectory* directory);

  /// The next thing on record, which must be an answer for this direction, or a drawing of episodes of these
  /// policies; nothing once the record is used up. Anything else is an InputError: the record is another
  /// run's.
  std::optional<CallRecord> next_call(const Vector& direction);
  std::optional<DrawRecord> next_draw(const std::vector<int>& calls);

  void append(const RunRecord& record) const;

 private:
  const RunRecord* next();
  [[noreturn]] void refuse() const;

  const RunDirectory* directory_;
  std::vector<RunRecord> records_;
  std::size_t next_ = 0;
};

}  // namespace c2rl
