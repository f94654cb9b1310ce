#pragma once

#include <string>
#include <vector>

namespace c2rl {

/// The files of a run, within its directory.
inline constexpr const char* kProblem = "problem.toml";
inline constexpr const char* kRecord = "record.jsonl";
inline constexpr const char* kLearning = "learning.jsonl";
inline constexpr const char* kResult = "result.json";
inline constexpr const char* kCheckpoint = "checkpoint.safetensors";
inline constexpr const char* kLock = "lock";
inline constexpr const char* kPolicies = "policies";
inline constexpr const char* kMemory = "memory";

/// The call whose policy, or whose memory, a file of this name would be; 0 where it is none of a run's.
int call_of(const std::string& name);

/// The names in a folder, sorted; none where it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace c2rl
