#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

const std::string kExamples = C2RL_SOURCE_DIR "/examples/";

/// Commands about a run that is there.
class RunCommands : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  const std::string directory_ = testing::TempDir() + "c2rl_run_commands_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string run_ = directory_ + "/run";
};

TEST_F(RunCommands, ResumeNeedsNoFile) {
  const std::vector<std::string> one = {"solve", kExamples + "navigation.toml", "--out", run_, "--quiet",
                                        "--set", "solver.max_oracle_calls=1"};
  EXPECT_EQ(c2rl(one).status, 4);
  const Finished more =
      c2rl({"solve", "--resume", "--out", run_, "--quiet", "--set", "solver.max_oracle_calls=100"});
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(more.err, "");
  EXPECT_NE(read_file(run_ + "/problem.toml").find("# raised solver.max_oracle_calls from 1 to 100"),
            std::string::npos);
  const Finished other = c2rl({"solve", "--resume", "--out", run_, "--set", "environment.slip=0.5"});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("environment.slip: 0 in the run, 0.5 given"), std::string::npos) << other.err;
  const Finished file = c2rl({"solve", kExamples + "mars_rover.toml", "--resume", "--out", run_});
  EXPECT_EQ(file.status, 2);
  EXPECT_NE(file.err.find("environment.kind: \"grid\" in the run, \"mars-rover\" given"), std::string::npos)
      << file.err;
  EXPECT_EQ(c2rl({"solve"}).status, 2);
}

TEST_F(RunCommands, ResumeFindsTheRunThatWasInterrupted) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directories(directory_);
  std::filesystem::current_path(directory_);
  const Finished none = c2rl({"solve", "--resume"});
  c2rl({"solve", kExamples + "navigation.toml", "--quiet"});
  c2rl({"solve", kExamples + "navigation.toml", "--quiet", "--set", "solver.max_oracle_calls=1"});
  const Finished found = c2rl({"solve", "--resume", "--quiet"});
  std::filesystem::current_path(before);
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(found.err, "Going on with runs/navigation-2.\n");
  EXPECT_EQ(found.status, 4);
}

TEST_F(RunCommands, NamesStayInsideRuns) {
  for (const char* name : {"../elsewhere", "a/b", ".."}) {
    const Finished run =
        c2rl({"solve", kExamples + "navigation.toml", "--set", std::string("name='") + name + "'"});
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.err.find("name: found '"), std::string::npos) << run.err;
  }
  for (const char* command : {"solve", "experiment", "collect", "mix"}) {
    const Finished run = c2rl({command, kExamples + "navigation.toml", "--out", ""});
    EXPECT_EQ(run.status, 2) << command;
    EXPECT_NE(run.err.find("--out"), std::string::npos) << command << run.err;
  }
}

// What is shown is right, and still the run is not: both are said.
TEST_F(RunCommands, ShowAndEvaluateSayWhatIsDamaged) {
  c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--quiet"});
  const std::string good = c2rl({"show", run_}).out;
  for (const char* name : {"problem.toml", "record.jsonl", "result.json", "policies/call-1.safetensors"}) {
    const std::string file = run_ + "/" + name, content = read_file(file);
    for (std::size_t i = 0; i < content.size(); i += content.size() / 7) {
      std::string changed = content;
      changed[i] = static_cast<char>(changed[i] ^ 4);
      write_file(file, changed);
      for (const std::vector<std::string>& command :
           {std::vector<std::string>{"show", run_}, {"evaluate", run_, "--episodes", "2"}}) {
        const Finished run = c2rl(command);
        EXPECT_EQ(run.status, 2) << command[0] << name << i;
        EXPECT_NE(run.err.find(name), std::string::npos) << run.err;
        EXPECT_TRUE(command[0] != "show" || run.out.empty() || run.out == good);
      }
    }
    write_file(file, content);
  }
  EXPECT_EQ(c2rl({"show", run_}).status, 0);
}

}  // namespace
}  // namespace c2rl
