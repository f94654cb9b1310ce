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

}  // namespace
}  // namespace c2rl
