#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace c2rl {

/// A run or an experiment that was found.
struct FoundRun {
  std::string path;  // from where the search began; "." for that itself
  bool is_experiment = false;
  bool running = false;      // a process writes it
  std::string state;         // in a few words
  std::int64_t changed = 0;  // seconds since 1970
};

/// All below a directory, those that changed last first; at most 1000. Links are not followed, and nothing is looked for
/// inside of what was found.
std::vector<FoundRun> find_runs(const std::string& directory);

/// A page that lists them, and asks for itself every few seconds. The page of each is at `prefix` and its path.
std::string list_page(const std::string& directory, const std::vector<FoundRun>& runs,
                      const std::string& prefix);

}  // namespace c2rl
