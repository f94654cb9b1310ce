#include "c2rl/run/run_directory.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "c2rl/base/file_lock.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/base/seal.h"
#include "c2rl/base/text.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/record_file.h"
#include "c2rl/run/result_json.h"
#include "c2rl/run/run_problem.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProblem = "problem.toml";
constexpr const char* kRecord = "record.jsonl";
constexpr const char* kResult = "result.json";
constexpr const char* kLock = "lock";
constexpr const char* kPolicies = "policies";

/// What took less, in seconds, may be lost with the power, and is found again: the disk would take a good part of
/// that time.
constexpr double kSlow = 0.1;

/// The call whose policy a file of this name would be; 0 where it is none of ours.
int call_of(const std::string& name) {
  constexpr std::string_view kPrefix = "call-";
  if (!name.starts_with(kPrefix)) return 0;
  int call = 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), call);
  return call > 0 && fs::path(RunDirectory::policy_file(call)).filename() == name ? call : 0;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename());
  std::ranges::sort(names);
  return names;
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
  std::error_code error;
  const auto size = fs::file_size(directory.inside(kRecord), error);
  if (!error && size > 0) {
    throw InputError({.file = path},
                     fmt::format("holds a record, and no {} that says of which problem; choose "
                                 "another --out",
                                 kProblem));
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
  return c2rl::save_policy(inside(policy_file(record.call)), *record.policy,
                           record.seconds < kSlow ? Sync::no : sync_);
}

std::string RunDirectory::save_policy_as(const std::string& file, const Policy& policy) const {
  return c2rl::save_policy(inside(file), policy, sync_);
}

Safetensors RunDirectory::read_policy(const std::string& file, const std::string& seal) const {
  const Safetensors content = read_safetensors(inside(file));
  if (content.seal.empty())
    throw InputError({.file = inside(file)},
                     "is damaged: it has no seal, expected one as in all files of a run");
  if (!seal.empty() && content.seal != seal)
    throw InputError({.file = inside(file)}, "is whole, but another policy than the run has found");
  return content;
}

PolicyPtr RunDirectory::load_policy(const std::string& file, const World& world,
                                    const std::string& seal) const {
  return policy_from(read_policy(file, seal), world, inside(file));
}

void RunDirectory::remove_policy(int call) const {
  if (is_writable() && !keeps_all_policies_) remove_file(inside(policy_file(call)));
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
}

void RunDirectory::remove(const std::string& path) {
  const std::string policies = path + "/" + kPolicies;
  for (const std::string& name : names_in(policies)) {
    if (call_of(name) > 0 || is_unfinished_file(name)) remove_file(policies + "/" + name);
  }
  for (const char* name : {kResult, kRecord, kProblem, kLock}) remove_file(path + "/" + name);
  for (const std::string& name : names_in(path)) {
    if (is_unfinished_file(name)) remove_file(path + "/" + name);
  }
  // Both stay where they hold anything else.
  ::rmdir(policies.c_str());
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

std::vector<Finding> RunDirectory::check(const std::string& path) {
  std::vector<Finding> findings;
  const auto holds = [&](const auto& action) {
    try {
      action();
      return true;
    } catch (const InputError& error) {
      findings.push_back({error.place(), error.message()});
      return false;
    }
  };
  std::optional<RunDirectory> directory;
  // Without its problem, nothing can be said of the rest.
  if (!holds([&] { directory = open(path); })) return findings;
  Recorded recorded;
  const std::string record = directory->inside(kRecord), folder = directory->inside(kPolicies);
  const bool readable = holds([&] { recorded = directory->read_records(); });
  if (recorded.torn_line > 0)
    findings.push_back({{.file = record, .line = recorded.torn_line}, "is damaged, or cut off"});
  std::map<int, std::string> seals;
  for (const RunRecord& entry : recorded.records) {
    if (const auto* call = std::get_if<CallRecord>(&entry)) seals[call->call] = call->seal;
  }
  for (const std::string& name : names_in(folder)) {
    if (!name.ends_with(".safetensors") || is_unfinished_file(name)) continue;
    const auto known = seals.find(call_of(name));
    const std::string seal = known == seals.end() ? "" : known->second;
    holds([&] { directory->read_policy(std::string(kPolicies) + "/" + name, seal); });
  }
  if (!fs::exists(directory->inside(kResult))) return findings;
  holds([&] {
    const Result result = directory->read_result();
    const int lines = static_cast<int>(recorded.records.size());
    if (readable && lines < result.records) {
      findings.push_back(
          {{.file = record},
           fmt::format("has {} whole lines, expected {} as the result says", lines, result.records)});
    }
    for (const ResultPolicy& policy : result.policies) {
      const std::string file = directory->inside(policy.file);
      const auto known = seals.find(call_of(fs::path(file).filename()));
      if (!fs::exists(file)) {
        findings.push_back({{.file = file}, "is missing"});
      } else if (known != seals.end() && known->second != policy.seal) {
        findings.push_back({{.file = directory->inside(kResult)},
                            fmt::format("names another policy {} than the record", policy.id)});
      }
    }
  });
  return findings;
}

std::optional<std::string> newest_unfinished_run(const std::string& folder) {
  std::optional<std::string> newest;
  fs::file_time_type written;
  for (const std::string& name : names_in(folder)) {
    const std::string path = folder + "/" + name;
    std::error_code error;
    const auto time = fs::last_write_time(path + "/" + kRecord, error);
    if (error || !fs::exists(path + "/" + kProblem) || (newest && time <= written)) continue;
    try {
      const Result result = RunDirectory::open(path).read_result();
      if (!result.interrupted && result.status != Status::budget) continue;
    } catch (const InputError&) {
      // Without a result that can be read, it goes on.
    }
    newest = path;
    written = time;
  }
  return newest;
}

}  // namespace c2rl
