#include "c2rl/run/run_directory.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "c2rl/base/file_lock.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/base/seal.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/base/text.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/record_file.h"
#include "c2rl/run/result_json.h"
#include "c2rl/run/run_files.h"
#include "c2rl/run/run_problem.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

/// What took less, in seconds, may be lost with the power, and is found again: the disk would take a good part of
/// that time.
constexpr double kSlow = 0.1;

constexpr const char* kProblemEntry = "problem";    // of a checkpoint's metadata: the fingerprint
constexpr const char* kAttemptsEntry = "attempts";  // of a memory's

/// In what a call has left.
std::string attempt(std::size_t number) {
  return fmt::format("attempt-{}", number);
}

}  // namespace

RunDirectory RunDirectory::create(const std::string& path, const Problem& problem, Sync sync) {
  RunDirectory directory(path, sync);
  make_directories(directory.inside(kPolicies));
  directory.lock();
  if (fs::exists(directory.problem_file())) {
    throw InputError({.file = path},
                     "holds a run already; go on with it with --resume, or choose another --out");
  }
  // What is there of a run, or of anything else that writes such files, is not ours to replace.
  std::vector<std::string> there;
  std::error_code error;
  if (const auto size = fs::file_size(directory.inside(kRecord), error); !error && size > 0)
    there.emplace_back(kRecord);
  for (const char* name : {kResult, kCheckpoint}) {
    if (fs::exists(fs::symlink_status(directory.inside(name)))) there.emplace_back(name);
  }
  for (const char* folder : {kPolicies, kMemory}) {
    for (const std::string& name : names_in(directory.inside(folder))) {
      if (call_of(name) > 0) there.push_back(std::string(folder) + "/" + name);
    }
  }
  if (!there.empty()) {
    throw InputError({.file = path},
                     fmt::format("holds {}, and no {} that says of which run; choose another --out",
                                 there.front(), kProblem));
  }
  write_file(directory.inside(kRecord), "", Sync::no);
  // Last: with it, there is a run.
  const RunProblem described = run_problem(problem);
  directory.fingerprint_ = described.fingerprint();
  write_file(directory.problem_file(), to_text(described), sync);
  return directory;
}

RunDirectory RunDirectory::open(const std::string& path) {
  RunDirectory directory(path, Sync::yes);
  if (!fs::exists(directory.problem_file()))
    throw InputError({.file = path}, "is no run: it has no problem.toml");
  directory.fingerprint_ = directory.problem().fingerprint();
  return directory;
}

RunDirectory RunDirectory::resume(const std::string& path, Sync sync) {
  RunDirectory directory = open(path);
  directory.sync_ = sync;
  directory.lock();
  make_directories(directory.inside(kPolicies));
  return directory;
}

void RunDirectory::lock() {
  lock_ = std::make_shared<const FileLock>(inside(kLock), path_);
}

std::string RunDirectory::problem_file() const {
  return inside(kProblem);
}

RecordFile RunDirectory::record_file() const {
  return {inside(kRecord), fingerprint_, sync_};
}

void RunDirectory::go_on_with(const Problem& now) const {
  RunProblem run = problem();
  const RunProblem given = run_problem(now);
  std::vector<std::string> refused, raised;
  for (const Difference& difference : differences(run, given)) {
    const auto before = parse_number(difference.run), after = parse_number(difference.given);
    const auto shown = [](const std::string& value) { return value.empty() ? "nothing" : value; };
    if (is_budget(difference.key) && before && after && *before < *after) {
      raised.push_back(fmt::format("{} from {} to {}", difference.key, difference.run, difference.given));
    } else {
      refused.push_back(fmt::format("\n  {}: {} in the run, {} given{}", difference.key,
                                    shown(difference.run), shown(difference.given),
                                    is_budget(difference.key) ? "; it may be raised only" : ""));
    }
  }
  if (!refused.empty()) {
    throw InputError(
        {.file = path_},
        fmt::format("is a run of another problem, and goes on with its own only:{}", join(refused, "")));
  }
  if (raised.empty() || !is_writable()) return;
  run.resolved = given.resolved;
  run.raised.insert(run.raised.end(), raised.begin(), raised.end());
  write_file(problem_file(), to_text(run), sync_);
}

RunProblem RunDirectory::problem() const {
  return parse_run_problem(read_file(problem_file()), problem_file());
}

Recorded RunDirectory::read_records() const {
  return record_file().read();
}

void RunDirectory::append(const RunRecord& record, int number) const {
  record_file().append(record, number);
}

std::string RunDirectory::policy_file(int call) {
  return fmt::format("{}/call-{}.safetensors", kPolicies, call);
}

std::string RunDirectory::save_policy(const CallRecord& record) const {
  return save_policy_sharing(inside(policy_file(record.call)), *record.policy,
                             record.seconds < kSlow ? Sync::no : sync_);
}

std::string RunDirectory::save_policy_as(const std::string& file, const Policy& policy) const {
  return c2rl::save_policy(inside(file), policy, sync_);
}

Safetensors RunDirectory::read_sealed(const std::string& file, const std::string& seal) const {
  const Safetensors content = read_safetensors(inside(file));
  if (content.seal.empty())
    throw InputError({.file = inside(file)},
                     "is damaged: it has no seal, expected one as in all files of a run");
  if (!seal.empty() && content.seal != seal)
    throw InputError({.file = inside(file)}, "is whole, but another than the run has written");
  return content;
}

PolicyPtr RunDirectory::load_policy(const std::string& file, const World& world,
                                    const std::string& seal) const {
  return policy_from(read_policy(file, seal), world, inside(file));
}

Safetensors RunDirectory::read_policy(const std::string& file, const std::string& seal) const {
  return with_shared(read_sealed(file, seal), inside(file));
}

void RunDirectory::remove_policy(int call) const {
  if (!is_writable() || keeps_all_policies_) return;
  remove_file(inside(policy_file(call)));
  remove_unshared();
}

/// Files of what policies share that no policy is left of.
void RunDirectory::remove_unshared() const {
  std::set<std::string> unused;
  const std::vector<std::string> names = names_in(inside(kPolicies));
  std::ranges::copy_if(names, std::inserter(unused, unused.end()), is_shared_file);
  if (unused.empty()) return;
  for (const std::string& name : names) {
    if (call_of(name) == 0) continue;
    try {
      unused.erase(shared_file_of(read_safetensors(inside(kPolicies) + ("/" + name))));
    } catch (const InputError&) {
      // One that is damaged is found again, and so is what it shared.
    }
  }
  for (const std::string& name : unused) remove_file(inside(kPolicies) + ("/" + name));
}

std::string RunDirectory::memory_file(int call) {
  return fmt::format("{}/call-{}.safetensors", kMemory, call);
}

std::string RunDirectory::save_memory(const CallRecord& record) const {
  make_directories(inside(kMemory));
  Safetensors content;
  auto state = StateVisitor::saving(content);
  for (std::size_t i = 0; i < record.memory.size(); ++i) {
    Safetensors left = *record.memory[i];
    state.content(attempt(i), left);
  }
  content.metadata[kAttemptsEntry] = std::to_string(record.memory.size());
  return write_safetensors(inside(memory_file(record.call)), content,
                           record.seconds < kSlow ? Sync::no : sync_);
}

std::vector<MemoryPtr> RunDirectory::load_memory(int call, const std::string& seal) const {
  const Safetensors content = read_sealed(memory_file(call), seal);
  const auto entry = content.metadata.find(kAttemptsEntry);
  const auto attempts = entry == content.metadata.end() ? std::nullopt : parse_number(entry->second);
  if (!attempts || *attempts < 1 || *attempts > 100)
    throw InputError({.file = inside(memory_file(call)), .field = kAttemptsEntry},
                     "expected 1 to 100 of them");
  auto state = StateVisitor::restoring(content);
  std::vector<MemoryPtr> memory;
  for (std::size_t i = 0; i < static_cast<std::size_t>(*attempts); ++i) {
    Safetensors left;
    state.content(attempt(i), left);
    memory.push_back(std::make_shared<const Safetensors>(std::move(left)));
  }
  return memory;
}

void RunDirectory::save_checkpoint(Safetensors content) const {
  content.metadata[kProblemEntry] = fingerprint_;
  write_safetensors(inside(kCheckpoint), content, sync_);
}

std::optional<Safetensors> RunDirectory::read_checkpoint() const {
  const std::string file = inside(kCheckpoint);
  if (!fs::exists(fs::symlink_status(file))) return std::nullopt;
  Safetensors content = read_safetensors(file);
  if (content.seal.empty())
    throw InputError({.file = file}, "is damaged: it has no seal, expected one as in all files of a run");
  if (content.metadata[kProblemEntry] != fingerprint_)
    throw InputError({.file = file}, "is of a run of another problem");
  return content;
}

void RunDirectory::remove_checkpoint() const {
  remove_file(inside(kCheckpoint));
}

void RunDirectory::clean_up(int lines, int calls, const std::vector<int>& calls_in_use) const {
  remove_file(inside(kResult));
  record_file().cut_to(lines);
  const std::set<int> used(calls_in_use.begin(), calls_in_use.end());
  for (const std::string& name : names_in(inside(kPolicies))) {
    // The policy of the next call may have been saved, and its line not written.
    const int call = call_of(name);
    if (call > 0 && call <= calls + 1 && !used.contains(call)) remove_policy(call);
    if (is_unfinished_file(name)) remove_file(inside(kPolicies) + ("/" + name));
  }
  if (!keeps_all_policies_) remove_unshared();
  for (const std::string& name : names_in(inside(kMemory))) {
    if (call_of(name) > calls || is_unfinished_file(name)) remove_file(inside(kMemory) + ("/" + name));
  }
  for (const std::string& name : names_in(path_)) {
    if (is_unfinished_file(name)) remove_file(inside(name));
  }
}

void RunDirectory::remove(const std::string& path) {
  const std::vector<std::string> folders = {path + "/" + kPolicies, path + "/" + kMemory};
  for (const std::string& folder : folders) {
    for (const std::string& name : names_in(folder)) {
      if (call_of(name) > 0 || is_shared_file(name) || is_unfinished_file(name))
        remove_file(fmt::format("{}/{}", folder, name));
    }
  }
  for (const char* name : {kResult, kCheckpoint, kLearning, kRecord, kProblem, kLock})
    remove_file(path + "/" + name);
  for (const std::string& name : names_in(path)) {
    if (is_unfinished_file(name)) remove_file(fmt::format("{}/{}", path, name));
  }
  // All stay where they hold anything else.
  for (const std::string& folder : folders) ::rmdir(folder.c_str());
  ::rmdir(path.c_str());
}

void RunDirectory::write_result(const Result& result) const {
  Json json = to_json(result);
  json["problem"] = fingerprint_;
  json["seal"] = kBlankSeal;
  write_file(inside(kResult), sealed(to_text(json, 2) + "\n"), result.seconds < kSlow ? Sync::no : sync_);
}

Result RunDirectory::read_result() const {
  const std::string file = inside(kResult);
  if (!fs::exists(file)) {
    throw InputError(
        {.file = path_},
        fmt::format("has no result.json yet; c2rl solve --resume --out {} goes on with it", path_));
  }
  const std::string text = read_file(file);
  if (seal_of(text).empty()) {
    throw InputError({.file = file},
                     fmt::format("is damaged: it is not as it was written, by its seal; c2rl solve "
                                 "--resume --out {} writes it again",
                                 path_));
  }
  const Result result = parse_result(text, file);
  if (JsonObject(parse_json(text)).text("problem") != fingerprint_)
    throw InputError({.file = file}, "is the result of another problem than problem.toml");
  for (const ResultPolicy& policy : result.policies) {
    if (policy.file != policy_file(call_of(fs::path(policy.file).filename()))) {
      throw InputError({.file = file, .field = "policies.file"},
                       fmt::format("found '{}', expected a name as {}", policy.file, policy_file(1)));
    }
  }
  return result;
}

std::optional<std::string> RunDirectory::fault_of_result() const {
  if (!fs::exists(inside(kResult))) return std::nullopt;
  try {
    read_result();
    return std::nullopt;
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace c2rl
