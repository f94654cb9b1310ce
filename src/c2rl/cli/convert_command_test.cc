#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "c2rl/base/file.h"
#include "c2rl/base/json.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

class ConvertCommand : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = testing::TempDir() + "c2rl_convert_command_" + std::to_string(getpid()) + "/";
  const std::string examples_ = std::string(C2RL_SOURCE_DIR) + "/examples/";
};

TEST_F(ConvertCommand, ThereAndBackIsTheSameModel) {
  const Finished there = c2rl({"convert", examples_ + "courier.drn", folder_ + "courier.umb"});
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_NE(there.out.find("states"), std::string::npos);
  ASSERT_EQ(c2rl({"convert", folder_ + "courier.umb", folder_ + "back.drn"}).status, 0);
  ASSERT_EQ(c2rl({"convert", examples_ + "courier.drn", folder_ + "same.drn"}).status, 0);
  EXPECT_EQ(read_file(folder_ + "back.drn"), read_file(folder_ + "same.drn"));
}

// A run on either form says the same.
TEST_F(ConvertCommand, AProblemTakesEitherForm) {
  ASSERT_EQ(c2rl({"convert", examples_ + "courier.drn", folder_ + "courier.umb"}).status, 0);
  const auto solve = [&](const std::string& model) {
    const Finished run = c2rl({"solve", examples_ + "courier.toml", "--out", folder_ + "run", "--json",
                               "--set", "environment.path=" + model});
    EXPECT_EQ(run.status, 0) << run.err;
    std::filesystem::remove_all(folder_ + "run");
    return Json::parse(run.out)["measurement"];
  };
  EXPECT_EQ(solve(examples_ + "courier.drn"), solve(folder_ + "courier.umb"));
}

TEST_F(ConvertCommand, AnEnvironmentBecomesAModel) {
  const Finished run = c2rl({"convert", examples_ + "navigation.toml", folder_ + "navigation.umb"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("horizon = 500 is no part of a model file"), std::string::npos) << run.out;
}

TEST_F(ConvertCommand, WhatIsWrongIsSaid) {
  EXPECT_EQ(c2rl({"convert", examples_ + "courier.drn", folder_ + "courier.txt"}).err,
            "c2rl: " + folder_ + "courier.txt: found another name, expected one that ends in .drn or .umb\n");
  EXPECT_EQ(
      c2rl({"convert", examples_ + "cart_pole.toml", folder_ + "x.umb"}).err,
      "c2rl: " + examples_ + "cart_pole.toml: environment.kind: this environment has no model to write\n");
  EXPECT_EQ(c2rl({"convert", folder_ + "nothing.drn", folder_ + "x.umb"}).status, 2);
}

}  // namespace
}  // namespace c2rl
