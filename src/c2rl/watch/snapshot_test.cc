#include "c2rl/watch/snapshot.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

namespace c2rl {
namespace {

class SnapshotTest : public testing::Test {
 protected:
  SnapshotTest() {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory + "/cells");
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory + "/" + name) << text;
  }

  std::string directory =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + "_snapshot";
  int made = 0;
  bool fails = false;
  Snapshot snapshot{directory, [this](const std::string& from) {
                      EXPECT_EQ(from, directory);
                      if (fails) throw std::runtime_error("half of it is there");
                      return std::to_string(++made);
                    }};
};

TEST_F(SnapshotTest, IsMadeAnewWhenFilesHaveChangedAndNotElse) {
  EXPECT_EQ(*snapshot.latest(true).text, "1");
  EXPECT_EQ(snapshot.latest(true).number, 1);
  write("record.jsonl", "a line\n");
  EXPECT_EQ(*snapshot.latest(true).text, "2");
  write("cells/a", "finished");
  EXPECT_EQ(*snapshot.latest(true).text, "3");
  EXPECT_EQ(*snapshot.latest(true).text, "3");
  EXPECT_EQ(made, 3);
}

TEST_F(SnapshotTest, IsNotMadeTwiceInARow) {
  snapshot.latest();
  write("record.jsonl", "a line\n");
  EXPECT_EQ(snapshot.latest().number, 1);
}

TEST_F(SnapshotTest, WhatCannotBeReadIsTriedAgain) {
  fails = true;
  EXPECT_EQ(snapshot.latest(true).number, 0);
  EXPECT_EQ(snapshot.latest(true).text, nullptr);
  fails = false;
  EXPECT_EQ(snapshot.latest(true).number, 1);
}

}  // namespace
}  // namespace c2rl
