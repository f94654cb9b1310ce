#include "c2rl/run/run_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "c2rl/run/run_directory.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

}  // namespace

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
  const auto inside = [&](const std::string& name) { return path + "/" + name; };
  std::optional<RunDirectory> directory;
  // Without its problem, nothing can be said of the rest.
  if (!holds([&] { directory = open(path); })) return findings;
  Recorded recorded;
  const std::string record = inside(kRecord), folder = inside(kPolicies);
  const bool readable = holds([&] { recorded = directory->read_records(); });
  if (recorded.torn_line > 0)
    findings.push_back({{.file = record, .line = recorded.torn_line}, "is damaged, or cut off"});
  std::map<int, std::string> seals;
  for (const RunRecord& entry : recorded.records) {
    const auto* call = std::get_if<CallRecord>(&entry);
    if (!call) continue;
    seals[call->call] = call->seal;
    // One that is gone is no damage: where it is needed, its call is made again.
    if (!call->memory_seal.empty() && fs::exists(inside(memory_file(call->call))))
      holds([&] { directory->load_memory(call->call, call->memory_seal); });
  }
  for (const std::string& name : names_in(folder)) {
    const std::string file = std::string(kPolicies) + "/" + name;
    const auto known = seals.find(call_of(name));
    if (known == seals.end() && file != kFlatPolicy) continue;  // not the run's
    holds([&] { directory->read_policy(file, known == seals.end() ? "" : known->second); });
  }
  holds([&] { directory->read_checkpoint(); });
  if (!fs::exists(inside(kResult))) return findings;
  holds([&] {
    const Result result = directory->read_result();
    const int lines = static_cast<int>(recorded.records.size());
    if (readable && lines < result.records) {
      findings.push_back(
          {{.file = record},
           fmt::format("has {} whole lines, expected {} as the result says", lines, result.records)});
    }
    for (const ResultPolicy& policy : result.policies) {
      const std::string file = inside(policy.file);
      const auto known = seals.find(call_of(fs::path(file).filename()));
      if (!fs::exists(file)) {
        findings.push_back({{.file = file}, "is missing"});
      } else if (known != seals.end() && known->second != policy.seal) {
        findings.push_back(
            {{.file = inside(kResult)}, fmt::format("names another policy {} than the record", policy.id)});
      }
    }
  });
  return findings;
}

std::optional<std::string> newest_unfinished_run(const std::string& folder) {
  std::optional<std::string> newest;
  fs::file_time_type written;
  for (const std::string& name : names_in(folder)) {
    const std::string path = fmt::format("{}/{}", folder, name);
    std::error_code error;
    const auto time = fs::last_write_time(path + "/" + kRecord, error);
    if (error || !fs::exists(path + "/" + kProblem) || (newest && time <= written)) continue;
    try {
      const Result result = RunDirectory::open(path).read_result();
      if (!result.interrupted && result.status != Status::budget && result.status != Status::oracle_failed)
        continue;
    } catch (const InputError&) {
      // Without a result that can be read, it goes on.
    }
    newest = path;
    written = time;
  }
  return newest;
}

}  // namespace c2rl
