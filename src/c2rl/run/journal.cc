#include "c2rl/run/journal.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {

Journal::Journal(const RunDirectory* directory) : directory_(directory) {
  if (directory_) records_ = directory_->read_records();
}

const RunRecord* Journal::next() {
  return next_ < records_.size() ? &records_[next_++] : nullptr;
}

void Journal::refuse() const {
  throw InputError(
      {.file = directory_->path()},
      fmt::format("line {} on record was for another problem; a run can only be resumed with the "
                  "problem, seed and solver it was started with",
                  next_));
}

std::optional<CallRecord> Journal::next_call(const Vector& direction) {
  const RunRecord* record = next();
  if (!record) return std::nullopt;
  const auto* call = std::get_if<CallRecord>(record);
  if (!call || call->direction != direction) refuse();
  return *call;
}

std::optional<DrawRecord> Journal::next_draw(const std::vector<int>& calls) {
  const RunRecord* record = next();
  if (!record) return std::nullopt;
  const auto* draw = std::get_if<DrawRecord>(record);
  if (!draw || draw->calls != calls) refuse();
  return *draw;
}

void Journal::append(const RunRecord& record) const {
  if (directory_) directory_->append(record);
}

}  // namespace c2rl
