#pragma once

#include <map>
#include <string>
#include <vector>

#include "c2rl/run/problem.h"

namespace c2rl {

/// What problem.toml of a run says: the problem with all defaults filled in, and above it, in comments, the seal
/// of the file, the fingerprint of the problem, the checksums of the files that the problem names, and which
/// budgets were raised later.
struct RunProblem {
  std::string resolved;
  std::map<std::string, std::string> contents;  // checksums of named files, by the keys that name them
  std::vector<std::string> raised;              // budgets, in words

  /// Everything that the answers depend on, by full keys: for a file its checksum in place of its path.
  std::map<std::string, std::string> values() const;
  /// Equal for equal problems, and for no others: a checksum of all values but the name and the budgets, which
  /// say how far a run goes and not where.
  std::string fingerprint() const;
};

/// A problem as it is now, the files that it names included.
RunProblem run_problem(const Problem& problem);

std::string to_text(const RunProblem& problem);
/// What to_text wrote; an InputError that names the file where it was changed since.
RunProblem parse_run_problem(const std::string& text, const std::string& file);

struct Difference {
  std::string key, run, given;  // both values as TOML; empty where there is none
};
/// Where the problem of a run and one that is given differ, the name aside.
std::vector<Difference> differences(const RunProblem& run, const RunProblem& given);

/// Whether a key says how much a run may spend.
bool is_budget(const std::string& key);

}  // namespace c2rl
