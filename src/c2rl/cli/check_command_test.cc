#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

std::string check(const std::string& map) {
  const std::string file = testing::TempDir() + "c2rl_check_command_test.toml";
  write_file(file,
             "[environment]\nkind = \"grid\"\nhorizon = 4\nmap = \"\"\"\n" + map +
                 "\n\"\"\"\nlegend = {X = {blocked = true}}\n[target]\nconstraints = [\"steps <= 3\"]\n");
  const Finished run = c2rl({"check", file});
  EXPECT_EQ(run.status, 0) << run.err;
  std::filesystem::remove(file);
  const auto found = run.out.find("warning: ");
  return found == std::string::npos ? "" : run.out.substr(found);
}

TEST(CheckCommand, WarnsOfGoalsThatCannotBeReached) {
  const std::string never =
      "warning: no terminal state can be reached from the start, whatever the policy; every episode goes on "
      "until "
      "it is cut\n";
  EXPECT_EQ(check("S.X\n.XG"), never);
  EXPECT_EQ(check("S.X.G"), never);
  EXPECT_EQ(check("S....G"),
            "warning: the nearest terminal state is 5 steps from the start, but episodes are cut after 4\n");
  EXPECT_EQ(check("S...G"), "");
  EXPECT_EQ(check("S..X"), "");  // that has no goal at all
}

}  // namespace
}  // namespace c2rl
