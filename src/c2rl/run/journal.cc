#include "c2rl/run/journal.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/run/run_problem.h"

namespace c2rl {

Journal::Journal(const RunDirectory* directory, SolveListener& listener)
    : Journal(directory, directory ? directory->read_records() : Recorded(), listener) {}

Journal::Journal(const RunDirectory* directory, Recorded recorded, SolveListener& listener)
    : directory_(directory), listener_(listener), records_(std::move(recorded.records)) {
  if (recorded.torn_line > 0) {
    listener_.noticed(fmt::format("line {} of the record is damaged or cut off; what it told is done again",
                                  recorded.torn_line));
  }
}

void Journal::forget_rest() {
  // What the run did at the end of its old budget is not what it does with a larger one.
  if (directory_->problem().raised.empty()) {
    throw InputError(
        {.file = directory_->path() + "/record.jsonl", .line = lines() + 1},
        "is not what the run does here: it was written by another version, or on another machine");
  }
  listener_.noticed(
      fmt::format("with its larger budget the run does something else after line {} of its record", lines()));
  records_.resize(next_);
}

std::optional<CallRecord> Journal::next_call(const Vector& direction) {
  const RunRecord* record = next();
  if (!record) return std::nullopt;
  const auto* call = std::get_if<CallRecord>(record);
  if (!call || call->direction != direction) {
    forget_rest();
    return std::nullopt;
  }
  ++next_;
  return *call;
}

std::optional<DrawRecord> Journal::next_draw(const std::vector<int>& calls,
                                             const std::vector<std::int64_t>& counts) {
  const RunRecord* record = next();
  if (!record) return std::nullopt;
  const auto* draw = std::get_if<DrawRecord>(record);
  if (!draw || draw->calls != calls || draw->counts != counts) {
    forget_rest();
    return std::nullopt;
  }
  ++next_;
  return *draw;
}

void Journal::end() {
  if (next()) forget_rest();
}

void Journal::append(const RunRecord& record) {
  ++next_;
  if (directory_) directory_->append(record, lines());
}

}  // namespace c2rl
