#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/json.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

const std::string kExamples = std::string(C2RL_SOURCE_DIR) + "/examples/";

class EvaluateCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(directory_);
    c2rl({"solve", kExamples + "navigation.toml", "--out", run_, "--quiet"});
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  const std::string directory_ =
      testing::TempDir() + "c2rl_evaluate_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string run_ = directory_ + "/run";
};

TEST_F(EvaluateCommand, TakesAPolicyInPlaceOfTheMixture) {
  ASSERT_EQ(c2rl({"flatten", run_}).status, 0);
  // The flat policy is judged as the mixture is, by its path within the run or as the shell completes it.
  for (const std::string& file :
       {std::string("policies/flat.safetensors"), run_ + "/policies/flat.safetensors"}) {
    const Finished one = c2rl({"evaluate", run_, "--policy", file, "--episodes", "50", "--json"});
    EXPECT_EQ(one.status, 0) << one.err;
    const Json found = Json::parse(one.out);
    ASSERT_EQ(found["members"].size(), 1u);
    EXPECT_EQ(found["members"][0]["id"], "flat");
    EXPECT_NEAR(found["exact_measurement"][0].get<double>(), 11, 1e-9);
    EXPECT_GT(found["standard_error"][1].get<double>(), 0);  // one policy that draws, not two that do not
  }
  const Finished words =
      c2rl({"evaluate", run_, "--policy", "policies/flat.safetensors", "--episodes", "50"});
  EXPECT_NE(words.out.find("confidence the policy is"), std::string::npos) << words.out;
  EXPECT_EQ(words.out.find("mixture"), std::string::npos) << words.out;
  EXPECT_EQ(c2rl({"evaluate", run_, "--policy", "policies/no-such.safetensors"}).status, 2);
}

TEST_F(EvaluateCommand, APolicyOfAnotherWorldIsRefused) {
  c2rl({"solve", kExamples + "rock_paper_scissors.toml", "--out", run_ + "-other", "--quiet"});
  const Finished wrong = c2rl({"evaluate", run_, "--policy", run_ + "-other/policies/call-1.safetensors"});
  EXPECT_EQ(wrong.status, 2) << wrong.out << wrong.err;
  EXPECT_NE(wrong.err.find("expected 54, as the world has"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace c2rl
