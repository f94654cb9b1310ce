#include "c2rl/run/run_problem.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/seal.h"
#include "c2rl/base/sha256.h"

namespace c2rl {
namespace {

/// Of the files in a run directory; one more wherever an older program would misread them, or this one theirs.
constexpr int kFormat = 1;

constexpr std::string_view kContent = "# file ", kRaised = "# raised ";
constexpr std::string_view kChecksum = "sha256:";

std::string first_lines(const std::string& fingerprint) {
  return fmt::format("# {} seals this file\n# c2rl run, format {}, of problem {}\n", kBlankSeal, kFormat,
                     fingerprint);
}

/// What no answer depends on.
constexpr std::array kNoMatter = {"name", "oracle.checkpoint_seconds", "oracle.threads"};

}  // namespace

bool is_budget(const std::string& key) {
  static const std::set<std::string> kBudgets = {
      "solver.max_oracle_calls", "target.max_episodes", "target.max_steps",    "oracle.time_limit",
      "oracle.memory_limit",     "oracle.failures",     "oracle.max_env_steps"};
  return kBudgets.contains(key);
}

std::map<std::string, std::string> RunProblem::values() const {
  std::map<std::string, std::string> values = Config::parse(resolved, "problem.toml").values();
  for (const auto& [key, checksum] : contents) values[key] = checksum;
  for (const char* key : kNoMatter) values.erase(key);
  return values;
}

std::string RunProblem::fingerprint() const {
  std::string text = fmt::format("format {}\n", kFormat);
  for (const auto& [key, value] : values()) {
    if (!is_budget(key)) text += fmt::format("{} = {}\n", key, value);
  }
  return sha256(text);
}

RunProblem run_problem(const Problem& problem) {
  RunProblem described;
  described.resolved = problem.resolved;
  for (const auto& [key, path] : problem.files) {
    if (!std::filesystem::is_directory(path))
      described.contents[key] = std::string(kChecksum) + sha256(read_file(path));
  }
  return described;
}

std::string to_text(const RunProblem& problem) {
  std::string text = first_lines(problem.fingerprint());
  for (const auto& [key, checksum] : problem.contents)
    text += fmt::format("{}{} {}\n", kContent, key, checksum);
  for (const std::string& change : problem.raised) text += fmt::format("{}{}\n", kRaised, change);
  return sealed(text + "\n" + problem.resolved);
}

RunProblem parse_run_problem(const std::string& text, const std::string& file) {
  if (seal_of(text).empty()) {
    throw InputError({.file = file},
                     text.starts_with("# sha256:")
                         ? "is damaged: it is not as it was written, by its seal"
                         : "has no seal in its first line: it is damaged, or of an earlier version of c2rl");
  }
  RunProblem problem;
  std::size_t at = 0;
  while (text.compare(at, 1, "#") == 0) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    if (line.starts_with(kRaised)) problem.raised.push_back(line.substr(kRaised.size()));
    if (!line.starts_with(kContent)) continue;
    const std::size_t blank = line.rfind(' ');
    problem.contents[line.substr(kContent.size(), blank - kContent.size())] = line.substr(blank + 1);
  }
  problem.resolved = text.substr(std::min(at + 1, text.size()));
  // Of another format, or put together from two runs.
  if (to_text(problem) != text)
    throw InputError({.file = file},
                     fmt::format("is no problem of a run as this version writes it (format {})", kFormat));
  return problem;
}

std::vector<Difference> differences(const RunProblem& run, const RunProblem& given) {
  const std::map<std::string, std::string> a = run.values(), b = given.values();
  std::vector<Difference> found;
  const auto value = [](const auto& values, const std::string& key) {
    const auto entry = values.find(key);
    return entry == values.end() ? "" : entry->second;
  };
  std::map<std::string, std::string> keys = a;
  keys.insert(b.begin(), b.end());
  for (const auto& [key, ignored] : keys) {
    if (value(a, key) != value(b, key)) found.push_back({key, value(a, key), value(b, key)});
  }
  return found;
}

}  // namespace c2rl
