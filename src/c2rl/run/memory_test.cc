// What an oracle remembers is part of a run: one that was interrupted remembers the same.

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/sha256.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/run_files.h"
#include "c2rl/run/run_testing.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

/// Stops within a call, once this part of it is done.
struct StopWithin final : SolveListener {
  StopWithin(int the_call, double the_part) : call(the_call), part(the_part) {}
  bool oracle_progress(int number, double done) override { return number != call || done < part; }
  int call;
  double part;
};

class MemoryOfARun : public RunTest {
 protected:
  /// Out of reach, so that there are several calls, and attempts that are made again.
  static Problem problem(const std::vector<std::string>& more = {}) {
    std::vector<std::string> options = {"environment.slip=0.1",
                                        "environment.horizon=60",
                                        "oracle.kind=dqn",
                                        "oracle.training_steps=3000",
                                        "oracle.first_steps=500",
                                        "oracle.updates_before=300",
                                        "oracle.hidden=[32]",
                                        "oracle.batch=64",
                                        "oracle.retries=1",
                                        "oracle.checkpoint_seconds=0.02",
                                        "solver.max_oracle_calls=3",
                                        "target.max_steps=20000",
                                        "target.constraints=['steps <= 9', 'risk <= 0.5']"};
    options.insert(options.end(), more.begin(), more.end());
    return example("navigation", options);
  }
  static std::string memory(int call) { return RunDirectory::memory_file(call); }
  /// The checksums of all that was left.
  std::vector<std::string> left() const {
    std::vector<std::string> all;
    for (int call = 1; fs::exists(inside(memory(call))); ++call)
      all.push_back(sha256(read_file(inside(memory(call)))));
    return all;
  }
};

TEST_F(MemoryOfARun, IsTheSameAfterAnInterrupt) {
  const Problem asked = problem();
  ASSERT_GE(start(asked).oracle_calls, 3);
  const std::string expected = result();
  const std::vector<std::string> memories = left();
  ASSERT_EQ(memories.size(), 3u);
  EXPECT_TRUE(RunDirectory::check(path_).empty());
  for (int calls = 1; calls < 3; ++calls) {
    start(asked, StopAfterCalls(calls));
    EXPECT_EQ(resume(asked), "");
    EXPECT_EQ(result(), expected);
    EXPECT_EQ(left(), memories);
  }
  for (const double part : {0.0, 0.3, 0.9}) {
    start(asked, StopWithin(2, part));
    EXPECT_EQ(resume(asked), "");
    EXPECT_EQ(result(), expected) << part;
    EXPECT_EQ(left(), memories) << part;
  }
}

// One network for all directions, whose policies share a file.
TEST_F(MemoryOfARun, OfOneNetworkIsTheSameAfterAnInterrupt) {
  const Problem asked = problem({"oracle.conditioned=true"});
  start(asked);
  const std::string expected = result();
  const auto policies = [&] { return names_in(inside("policies")); };
  const std::vector<std::string> files = policies();
  EXPECT_GE(std::ranges::count_if(files, is_shared_file), 1);
  EXPECT_TRUE(RunDirectory::check(path_).empty());
  for (const double part : {0.0, 0.5}) {
    start(asked, StopWithin(2, part));
    EXPECT_EQ(resume(asked), "");
    EXPECT_EQ(result(), expected) << part;
    EXPECT_EQ(policies(), files) << part;
  }
  // Without the file that they share they are lost, and found again.
  start(asked, StopAfterCalls(1));
  for (const std::string& name : policies()) {
    if (is_shared_file(name)) flip("policies/" + name, fs::file_size(inside("policies/" + name)) / 2);
  }
  EXPECT_EQ(RunDirectory::check(path_).size(), 1u);
  EXPECT_NE(resume(asked).find("call 1 is made again"), std::string::npos);
  EXPECT_EQ(result(), expected);
  EXPECT_EQ(policies(), files);
  RunDirectory::remove(path_);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(MemoryOfARun, MattersToLaterCalls) {
  start(problem());
  const std::string with = result();
  start(problem({"oracle.remember=false"}));
  EXPECT_TRUE(result() != with);
  EXPECT_FALSE(fs::exists(inside(memory(1))));
}

TEST_F(MemoryOfARun, ThatIsLostIsFoundAgain) {
  const Problem asked = problem();
  start(asked);
  const std::string expected = result();
  const std::vector<std::string> memories = left();
  const auto damages = std::vector<std::function<void()>>{
      [&] { fs::remove(inside(memory(1))); },
      [&] { flip(memory(1), fs::file_size(inside(memory(1))) / 2); },
      [&] { fs::copy_file(inside(memory(2)), inside(memory(1)), fs::copy_options::overwrite_existing); },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    SCOPED_TRACE(i);
    start(asked, StopAfterCalls(2));
    damages[i]();
    EXPECT_EQ(RunDirectory::check(path_).size(), i == 0 ? 0u : 1u);
    EXPECT_NE(resume(asked).find("call 1 is made again"), std::string::npos);
    EXPECT_EQ(result(), expected);
    EXPECT_EQ(left(), memories);
  }
}

TEST_F(MemoryOfARun, GoesWithTheRun) {
  start(problem());
  ASSERT_TRUE(fs::exists(inside(memory(1))));
  RunDirectory::remove(path_);
  EXPECT_FALSE(fs::exists(path_));
}

}  // namespace
}  // namespace c2rl
