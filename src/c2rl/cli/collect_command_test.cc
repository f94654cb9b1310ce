#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/base/file_lock.h"
#include "c2rl/cli/command_testing.h"
#include "c2rl/offline/dataset.h"

namespace c2rl {
namespace {

class CollectCommand : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  Finished collect(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"collect", C2RL_SOURCE_DIR "/examples/navigation.toml", "--out",
                                          file_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return c2rl(arguments);
  }

  const std::string file_ =
      testing::TempDir() + "c2rl_collect_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(CollectCommand, WritesTheDatasetItSays) {
  const Finished run = collect({"--samples", "5000"});
  EXPECT_EQ(run.status, 0) << run.err;
  const Dataset data = read_dataset(file_);
  EXPECT_EQ(data.size(), 5000);
  EXPECT_EQ(data.measurements, (std::vector<std::string>{"steps", "risk"}));
  EXPECT_EQ(data.states, 54);
  EXPECT_EQ(data.measurement.row(0), Eigen::RowVectorXd(Eigen::RowVectorXd::Ones(5000)));
  EXPECT_NE(run.out.find("5000 transitions"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("3 trainings"), std::string::npos) << run.out;
}

TEST_F(CollectCommand, SameSeedSameFile) {
  ASSERT_EQ(collect({"--samples", "3000", "--seed", "4"}).status, 0);
  const std::string first = read_file(file_);
  ASSERT_EQ(collect({"--samples", "3000", "--seed", "4", "--force"}).status, 0);
  EXPECT_EQ(read_file(file_), first);
  ASSERT_EQ(collect({"--samples", "3000", "--seed", "5", "--force"}).status, 0);
  EXPECT_NE(read_file(file_), first);
}

TEST_F(CollectCommand, WhatIsThereIsReplacedByForceOnly) {
  write_file(file_, "precious");
  const Finished refused = collect({"--samples", "3000"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "c2rl: " + file_ + ": is there already; --force replaces it\n");
  EXPECT_EQ(read_file(file_), "precious");
  EXPECT_EQ(collect({"--samples", "3000", "--force"}).status, 0);
  EXPECT_EQ(read_dataset(file_).size(), 3000);
  EXPECT_EQ(c2rl({"collect", C2RL_SOURCE_DIR "/examples/navigation.toml", "--out", ""}).status, 2);
}

TEST_F(CollectCommand, OneProcessCollectsIntoAFile) {
  const std::string lock = testing::TempDir() + ".c2rl-" + file_.substr(testing::TempDir().size()) + ".lock";
  const FileLock held(lock, file_);
  const Finished second = collect({"--samples", "3000"});
  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.err.find(file_ + ": is being written by process "), std::string::npos) << second.err;
}

// Late episodes of a training for few steps are shorter than its first ones.
TEST_F(CollectCommand, RecordsAnAgentThatLearns) {
  ASSERT_EQ(collect({"--samples", "200000", "--direction", "1,0"}).status, 0);
  const Dataset data = read_dataset(file_);
  double first = 0, last = 0;
  const int episodes = data.episodes(), share = 100;
  for (int i = 0; i < share; ++i) {
    first += data.length(i);
    last += data.length(episodes - 2 * share + i);
  }
  EXPECT_LT(last, 0.2 * first);
}

TEST_F(CollectCommand, BadArgumentsNameThemselves) {
  for (const char* direction : {"1", "1,2,3", "0,0", "a,b", "1,", "nan,1"}) {
    const Finished run = collect({"--direction", direction});
    EXPECT_EQ(run.status, 2) << direction;
    EXPECT_NE(run.err.find("--direction"), std::string::npos) << run.err;
  }
  EXPECT_EQ(collect({"--samples", "2"}).status, 2);
  EXPECT_EQ(collect({"--samples", "-5"}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_EQ(c2rl({"collect", "nowhere.toml", "--out", file_}).status, 2);
  EXPECT_EQ(c2rl({"collect", C2RL_SOURCE_DIR "/examples/navigation.toml"}).status, 2);
}

}  // namespace
}  // namespace c2rl
