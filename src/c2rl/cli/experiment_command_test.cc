#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/base/file_lock.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

TEST(ExperimentCommand, OneProcessWritesAnExperiment) {
  const std::string directory = testing::TempDir() + "c2rl_experiment_command";
  std::filesystem::remove_all(directory);
  make_directories(directory);
  const std::string file = directory + "/e.toml", out = directory + "/out";
  write_file(file, "seeds = 2\n[problems.navigation]\nfile = \"" C2RL_SOURCE_DIR
                   "/examples/navigation.toml\"\n[methods]\ncg = { set = [\"solver.kind=cg\"] }\n");
  const Finished first = c2rl({"experiment", file, "--out", out, "--quiet"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_FALSE(std::filesystem::exists(out + "/lock"));
  {
    const FileLock held(out + "/lock", out);
    const Finished second = c2rl({"experiment", file, "--out", out, "--quiet"});
    EXPECT_EQ(second.status, 2);
    EXPECT_NE(second.err.find(out + ": is being written by process "), std::string::npos) << second.err;
  }
  EXPECT_EQ(c2rl({"experiment", file, "--out", out, "--quiet"}).status, 0);
  std::filesystem::remove_all(directory);
}

TEST(ExperimentCommand, GathersItsShards) {
  const std::string directory = testing::TempDir() + "c2rl_experiment_shards";
  std::filesystem::remove_all(directory);
  make_directories(directory);
  const std::string file = directory + "/e.toml", out = directory + "/out";
  write_file(file, "seeds = 3\n[problems.navigation]\nfile = \"" C2RL_SOURCE_DIR
                   "/examples/navigation.toml\"\n[methods]\ncg = { set = [\"solver.kind=cg\"] }\n");
  for (const std::string shard : {"1/2", "2/2"})
    EXPECT_EQ(c2rl({"experiment", file, "--out", out, "--quiet", "--shard", shard}).status, 0) << shard;
  EXPECT_FALSE(std::filesystem::exists(out + "/cells"));
  EXPECT_EQ(c2rl({"experiment", file, "--out", out, "--quiet"}).status, 0);
  // What a shard has run is taken as it is, its seconds included.
  EXPECT_EQ(read_file(out + "/cells/navigation_cg_1.csv"),
            read_file(out + "/shards/2-of-2/cells/navigation_cg_1.csv"));
  const Finished wrong = c2rl({"experiment", file, "--out", out, "--quiet", "--shard", "3/2"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("--shard: expected NUMBER/COUNT"), std::string::npos) << wrong.err;
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace c2rl
