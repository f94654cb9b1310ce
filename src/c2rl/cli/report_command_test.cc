#include <filesystem>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

const std::string kExamples = C2RL_SOURCE_DIR "/examples/";

class ReportCommand : public testing::Test {
 protected:
  ReportCommand() { fs::remove_all(directory_); }
  ~ReportCommand() override { fs::remove_all(directory_); }

  Finished solve(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"solve", kExamples + "navigation.toml", "--out", run_, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return c2rl(words);
  }

  const std::string directory_ = testing::TempDir() + "c2rl_report_command_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string run_ = directory_ + "/run";
};

TEST_F(ReportCommand, SolveWritesThePageThatReportWrites) {
  const Finished solved = solve({"--report"});
  EXPECT_EQ(solved.status, 0) << solved.err;
  EXPECT_NE(solved.out.find("See " + run_ + "/report.html\n"), std::string::npos) << solved.out;
  const std::string page = read_file(run_ + "/report.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_EQ(c2rl({"report", run_}).status, 0);
  EXPECT_EQ(read_file(run_ + "/report.html"), page);
  // It is no file of the run: nothing is wrong with the run because of it.
  EXPECT_EQ(c2rl({"show", run_}).status, 0);
}

TEST_F(ReportCommand, SeveralDirectoriesAndFigures) {
  solve();
  const std::string out = directory_ + "/both.html", figures = directory_ + "/figures";
  const Finished done = c2rl({"report", run_, run_, "--out", out, "--figures", figures});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(done.out.starts_with("Wrote " + out + " (")) << done.out;
  for (const char* name : {"navigation-space.svg", "navigation-space.pdf", "navigation-course.svg",
                           "navigation-course.pdf", "navigation-space-2.pdf"})
    EXPECT_TRUE(fs::exists(figures + "/" + name)) << name;
}

TEST_F(ReportCommand, AnExperiment) {
  fs::create_directories(directory_);
  const std::string file = directory_ + "/small.toml";
  write_file(file, "name = \"small\"\nseeds = 2\n[problems.navigation]\nfile = \"" + kExamples +
                       "navigation.toml\"\n[methods]\ncg = { set = [\"solver.kind=cg\", "
                       "\"solver.max_oracle_calls=5\"] }\n");
  const Finished done = c2rl({"experiment", file, "--out", run_, "--quiet", "--report"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_NE(read_file(run_ + "/report.html").find("\"kind\":\"experiment\""), std::string::npos);
}

TEST_F(ReportCommand, SaysWhatIsNoRun) {
  const Finished none = c2rl({"report", directory_ + "/nothing"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("holds neither problem.toml nor experiment.json"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace c2rl
