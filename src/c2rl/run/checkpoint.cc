#include "c2rl/run/checkpoint.h"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/sha256.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/record_json.h"
#include "c2rl/run/run_files.h"

namespace c2rl {
namespace {

constexpr const char* kRecordEntry = "record";    // of the metadata
constexpr const char* kHistoryEntry = "history";  // likewise

/// All but the record, which is text.
void visit(StateVisitor& state, const World& world, Checkpoint& checkpoint) {
  state.value("attempt", checkpoint.attempt);
  state.value("failed", checkpoint.failed);
  state.expect(checkpoint.attempt >= 0 && checkpoint.failed >= 0, "attempt");
  visit_policy(state, "policy", world, checkpoint.record.policy);
  auto memories = static_cast<std::uint32_t>(checkpoint.record.memory.size());
  state.value("memories", memories);
  state.expect(memories <= static_cast<std::uint32_t>(checkpoint.attempt), "memories");
  checkpoint.record.memory.resize(memories);
  for (std::uint32_t i = 0; i < memories; ++i) {
    MemoryPtr& left = checkpoint.record.memory[i];
    Safetensors content;
    if (left) content = *left;
    state.content(fmt::format("memory-{}", i), content);
    if (state.restores()) left = std::make_shared<const Safetensors>(std::move(content));
  }
  bool has_left_off = checkpoint.left_off != nullptr;
  state.value("has_left_off", has_left_off);
  Safetensors left_off;
  if (checkpoint.left_off) left_off = *checkpoint.left_off;
  state.content("left_off", left_off);
  if (state.restores() && has_left_off)
    checkpoint.left_off = std::make_shared<const Safetensors>(std::move(left_off));
  bool has_state = checkpoint.state != nullptr;
  state.value("has_state", has_state);
  Safetensors content;
  if (checkpoint.state) content = *checkpoint.state;
  state.content("state", content);
  if (state.restores() && has_state)
    checkpoint.state = std::make_shared<const Safetensors>(std::move(content));
}

}  // namespace

/// What a call is a function of, beside the problem's fingerprint: all that is on record, and the budgets that
/// say how well its answers are measured.
std::string Checkpoints::history() const {
  Sha256 hash;
  const std::string record = directory_->path() + "/" + kRecord;
  if (std::filesystem::exists(record)) hash.add(read_file(record));
  hash.add(fmt::format("{} {}", problem_.confirmation.max_episodes, problem_.confirmation.max_steps));
  return hash.digits();
}

std::optional<Checkpoint> Checkpoints::read() const {
  auto content = directory_->read_checkpoint();
  if (!content || content->metadata[kHistoryEntry] != history()) return std::nullopt;
  const RunRecord record = record_from_json(parse_json(content->metadata[kRecordEntry]));
  if (!std::holds_alternative<CallRecord>(record)) throw UnfitState("its record is of no call");
  Checkpoint found{.record = std::get<CallRecord>(record)};
  auto state = StateVisitor::restoring(*content);
  visit(state, problem_.world, found);
  return found;
}

Checkpoint Checkpoints::begin(int call, const Vector& direction) {
  since_last_ = {};
  if (directory_) {
    const auto refuse = [&](const std::string& why) {
      listener_.noticed(fmt::format("{}; call {} begins anew", why, call));
    };
    try {
      auto found = read();
      if (found && found->record.call == call && found->record.direction == direction) return *found;
    } catch (const InputError& error) {
      refuse(error.what());
    } catch (const UnfitState& error) {
      refuse(fmt::format("{}: {}", directory_->path() + "/" + kCheckpoint, error.what()));
    }
    directory_->remove_checkpoint();
  }
  Checkpoint checkpoint;
  checkpoint.record.call = call;
  checkpoint.record.direction = direction;
  return checkpoint;
}

bool Checkpoints::are_kept() const {
  const double interval = problem_.patience.checkpoint_seconds;
  return directory_ && interval > 0 && std::isfinite(interval);
}

bool Checkpoints::is_due() const {
  return are_kept() && since_last_.seconds() >= problem_.patience.checkpoint_seconds;
}

void Checkpoints::save(Checkpoint now, const StateVisit& oracle) {
  if (oracle) {
    Safetensors content;
    auto state = StateVisitor::saving(content);
    oracle(state);
    now.state = std::make_shared<const Safetensors>(std::move(content));
  }
  Safetensors content;
  content.metadata[kHistoryEntry] = history();
  content.metadata[kRecordEntry] = to_text(to_json(RunRecord(now.record)));
  auto state = StateVisitor::saving(content);
  visit(state, problem_.world, now);
  directory_->save_checkpoint(std::move(content));
  since_last_ = {};
}

void Checkpoints::end() {
  if (directory_) directory_->remove_checkpoint();
}

}  // namespace c2rl
