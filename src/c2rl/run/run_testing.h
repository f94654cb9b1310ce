#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "c2rl/base/child_testing.h"
#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/run/run_problem.h"
#include "c2rl/run/solve.h"

namespace c2rl {

/// What a solve told its listener beside its progress.
struct Notes final : SolveListener {
  void noticed(const std::string& what) override { said += what + "\n"; }
  std::string said;
};

/// Stops after so many calls.
struct StopAfterCalls final : SolveListener {
  explicit StopAfterCalls(int calls) : left(calls) {}
  bool call_finished(const CallRecord&) override { return --left > 0; }
  int left;
};

/// Runs in a directory of the test's own.
class RunTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(path_); }
  void TearDown() override { std::filesystem::remove_all(path_); }

  static Problem example(const std::string& name, const std::vector<std::string>& overrides = {}) {
    Config config = Config::read(std::string(C2RL_SOURCE_DIR) + "/examples/" + name + ".toml");
    for (const std::string& assignment : overrides) config.override_value(assignment);
    return read_problem(config);
  }

  Result start(const Problem& problem, SolveListener&& listener = {}) const {
    std::filesystem::remove_all(path_);
    const RunDirectory directory = RunDirectory::create(path_, problem, Sync::no);
    return solve(problem, &directory, listener);
  }
  /// What was said is returned.
  std::string resume(const Problem& problem) const {
    const RunDirectory directory = RunDirectory::resume(path_, Sync::no);
    Notes notes;
    solve(problem, &directory, notes);
    return notes.said;
  }

  /// Changes a bit of a byte, and on the next call changes it back.
  void flip(const std::string& name, std::size_t at) const {
    std::fstream file(inside(name), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const auto flipped = static_cast<char>(file.get() ^ (1 << (at % 8)));
    file.seekp(static_cast<std::streamoff>(at));
    file.put(flipped);
  }

  std::string inside(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      if (!entry.is_directory()) names.push_back(std::filesystem::relative(entry.path(), path_));
    }
    return names;
  }
  std::set<std::string> policy_files() const {
    std::set<std::string> names;
    for (const std::string& name : files()) {
      if (name.starts_with("policies/")) names.insert(name);
    }
    return names;
  }

  /// The result, but for the time it took.
  std::string result() const {
    Result result = RunDirectory::open(path_).read_result();
    result.seconds = 0;
    return to_json_text(result);
  }

  const std::string path_ =
      testing::TempDir() + "c2rl_run_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

}  // namespace c2rl
