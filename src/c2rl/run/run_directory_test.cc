#include "c2rl/run/run_directory.h"

#include <filesystem>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

class RunDirectoryTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(path_); }
  void TearDown() override { fs::remove_all(path_); }

  static Problem navigation(const std::vector<std::string>& overrides) {
    Config config = Config::read(std::string(C2RL_SOURCE_DIR) + "/examples/navigation.toml");
    for (const std::string& assignment : overrides) config.override_value(assignment);
    return read_problem(config);
  }

  Result start(const std::vector<std::string>& overrides, SolveListener&& listener = {}) const {
    const Problem problem = navigation(overrides);
    const RunDirectory directory = RunDirectory::create(path_, problem);
    return solve(problem, &directory, listener);
  }

  Result resume(const std::vector<std::string>& overrides) const {
    const RunDirectory directory = RunDirectory::resume(path_);
    SolveListener silent;
    return solve(navigation(overrides), &directory, silent);
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_ + "/policies"))
      names.insert("policies/" + entry.path().filename().string());
    return names;
  }

  static std::set<std::string> files_of(const Result& result) {
    std::set<std::string> names;
    for (const auto& policy : result.policies) names.insert(policy.file);
    return names;
  }

  const std::string path_ =
      testing::TempDir() + "c2rl_directory_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

/// Compares the policies on disk with the mixture's after every call.
struct CountsPolicies final : SolveListener {
  explicit CountsPolicies(std::string policies) : directory(std::move(policies)) {}
  bool call_finished(const CallRecord& record) override {
    const auto stored = std::distance(fs::directory_iterator(directory), fs::directory_iterator());
    EXPECT_EQ(stored, record.cycle.atoms) << "after call " << record.call;
    return true;
  }
  std::string directory;
};

TEST_F(RunDirectoryTest, HoldsThePoliciesOfTheMixtureAndNoOthers) {
  for (const char* kind : {"corrective-mnp", "modified-mnp", "away-step", "cg", "appropo"}) {
    SCOPED_TRACE(kind);
    fs::remove_all(path_);
    const Result result = start({std::string("solver.kind=") + kind, "solver.max_oracle_calls=120",
                                 "oracle.ties=longest", "solver.first_direction=[1, 0]"},
                                CountsPolicies(path_ + "/policies"));
    EXPECT_GT(result.oracle_calls, 3);
    EXPECT_EQ(files(), files_of(result));
  }
}

struct StopAfter final : SolveListener {
  explicit StopAfter(int calls) : left(calls) {}
  bool call_finished(const CallRecord&) override { return --left > 0; }
  int left;
};

// Killed between saving a policy and recording its call, and in the middle of that line: both are forgotten,
// and what the resumed run records can be read again.
TEST_F(RunDirectoryTest, WhatAKilledRunLeftBehindIsCleanedUp) {
  const std::vector<std::string> options = {"oracle.ties=longest", "solver.first_direction=[1, 0]"};
  const Result whole = start(options);
  ASSERT_GE(whole.oracle_calls, 3);
  std::istringstream lines(read_file(path_ + "/record.jsonl"));
  std::string line;
  std::getline(lines, line);
  for (int stop = 1; stop < whole.oracle_calls; ++stop) {
    std::getline(lines, line);
    for (const size_t written : {size_t{0}, size_t{1}, size_t{60}, line.size()}) {
      SCOPED_TRACE(fmt::format("{} bytes after call {}", written, stop));
      fs::remove_all(path_);
      start(options, StopAfter(stop));
      const std::string record = path_ + "/record.jsonl",
                        policy = fmt::format("{}/{}", path_, RunDirectory::policy_file(stop + 1));
      write_file(record, read_file(record) + line.substr(0, written));
      write_file(policy, "");
      const Result resumed = resume(options);
      EXPECT_EQ(resumed.oracle_calls, whole.oracle_calls);
      EXPECT_EQ(files_of(resumed), files_of(whole));
      EXPECT_EQ(files(), files_of(whole));
      EXPECT_EQ(RunDirectory::open(path_).read_records().records.size(),
                static_cast<size_t>(whole.oracle_calls));
    }
  }
}

/// Stops before the n-th thing that is worth stopping before: a call's end, or some episodes.
struct StopAtEvent final : SolveListener {
  explicit StopAtEvent(int events) : left(events) {}
  bool call_finished(const CallRecord&) override { return --left > 0; }
  bool drawing(int, double) override { return --left > 0; }
  int left;
};

// Fresh episodes are on record as answers are: wherever a learning run is stopped, it ends the same.
TEST_F(RunDirectoryTest, ALearningRunThatIsStoppedGoesOnWithItsConfirmations) {
  const std::vector<std::string> options = {"oracle.kind=q-learning", "oracle.training_steps=50000",
                                            "environment.slip=0.15", "target.max_episodes=100000",
                                            "target.constraints=[\"steps <= 14.5\", \"risk <= 0.6\"]"};
  const auto without_seconds = [&] {
    Result result = RunDirectory::open(path_).read_result();
    result.seconds = 0;
    return to_json_text(result);
  };
  const Result whole = start(options);
  ASSERT_EQ(whole.status, Status::feasible);
  ASSERT_FALSE(whole.claim.proven);
  const std::string expected = without_seconds();
  const size_t records = RunDirectory::open(path_).read_records().records.size();
  EXPECT_GT(records, static_cast<size_t>(whole.oracle_calls));
  int stopped = 0;
  for (int stop = 1; stop < 40; ++stop) {
    fs::remove_all(path_);
    if (!start(options, StopAtEvent(stop)).interrupted) break;
    ++stopped;
    resume(options);
    EXPECT_EQ(without_seconds(), expected) << "stopped at event " << stop;
    EXPECT_EQ(RunDirectory::open(path_).read_records().records.size(), records);
    EXPECT_EQ(files(), files_of(whole));
  }
  EXPECT_GT(stopped, 3);
}

}  // namespace
}  // namespace c2rl
