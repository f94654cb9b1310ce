#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/json.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

TEST(VerifyCommand, SaysWhatHoldsAndWhatDoesNot) {
  const std::string run = testing::TempDir() + "c2rl_verify_command";
  std::filesystem::remove_all(run);
  c2rl({"solve", std::string(C2RL_SOURCE_DIR) + "/examples/navigation.toml", "--out", run, "--quiet"});
  const Finished fine = c2rl({"verify", run});
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_NE(fine.out.find("Verified: everything is proven."), std::string::npos) << fine.out;
  EXPECT_TRUE(parse_json(c2rl({"verify", run, "--json"}).out)["holds"].get<bool>());

  std::filesystem::remove(run + "/policies/call-2.safetensors");
  const Finished damaged = c2rl({"verify", run});
  EXPECT_EQ(damaged.status, 4);
  EXPECT_NE(damaged.out.find("call-2.safetensors: is missing"), std::string::npos) << damaged.out;
  EXPECT_FALSE(parse_json(c2rl({"verify", run, "--json"}).out)["holds"].get<bool>());

  std::filesystem::remove_all(run);
  const Finished gone = c2rl({"verify", run});
  EXPECT_EQ(gone.status, 2);
  EXPECT_NE(gone.err.find("is no run"), std::string::npos) << gone.err;
}

}  // namespace
}  // namespace c2rl
