#include "c2rl/run/problem_keys.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/run/problem.h"

namespace c2rl {
namespace {

const ProblemKeys& keys_of(const std::vector<ProblemKeys>& all, const std::string& section) {
  return *std::ranges::find(all, section, &ProblemKeys::section);
}

/// What an option is set to when nothing is said is in the resolved file: what is not listed there is listed nowhere.
TEST(ProblemKeys, ListWhatAProblemIsReadFrom) {
  const Problem problem =
      read_problem(Config::parse("environment.kind = 'rock-paper-scissors'\n"
                                 "environment.range = { rock = [0, 1] }\n"
                                 "target.constraints = ['rock >= 0']\n"
                                 "target.set = { kind = 'ball', center = [0, 0, 0], radius = 1 }\n"
                                 "target.maximize = 'paper'\n",
                                 "test"));
  const Config resolved = Config::parse(problem.resolved, "resolved");
  const std::vector<ProblemKeys> all = problem_keys();
  for (const std::string& key : resolved.section("target").keys()) {
    EXPECT_EQ(std::ranges::count(keys_of(all, "[target]").options, key, &OptionInfo::key), 1) << key;
  }
  const auto& heading = keys_of(all, "top level").options;
  for (const std::string& key : resolved.keys()) {
    const bool is_section = key == "environment" || key == "target" || key == "oracle" || key == "solver";
    EXPECT_EQ(std::ranges::count(heading, key, &OptionInfo::key), is_section ? 0 : 1) << key;
  }
  EXPECT_TRUE(resolved.section("environment").has(keys_of(all, "[environment]").options[0].key));
}

TEST(ProblemKeys, RefuseASeedBelowZero) {
  const std::string rest = "environment.kind = 'rock-paper-scissors'\ntarget.constraints = ['rock >= 0']\n";
  EXPECT_EQ(read_problem(Config::parse("seed = 3\n" + rest, "test")).seed, 3u);
  EXPECT_THROW(read_problem(Config::parse("seed = -1\n" + rest, "test")), InputError);
}

}  // namespace
}  // namespace c2rl
