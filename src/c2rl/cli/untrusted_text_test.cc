// Orders to a terminal in everything that people name, through every command that prints it.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/base/file.h"
#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

const std::string kOrder = "\x1b[2J\x07";           // clears the screen, and rings
const std::string kToml = "\\u001b[2J\\u0007";      // as TOML writes it
const std::string kOneByteOrder = "\xC2\x9B\x32J";  // U+009B is ESC [ in one character

class UntrustedText : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& text) const {
    write_file(directory_ + "/" + name, text, Sync::no);
    return directory_ + "/" + name;
  }

  /// What is printed shows the order, and gives none.
  static void expect_shown(const Finished& run, int status) {
    const std::string all = run.out + run.err;
    EXPECT_EQ(run.status, status) << all;
    EXPECT_TRUE(all.find("\\u00") != all.npos || all.find("\\x1b") != all.npos) << all;
    EXPECT_TRUE(std::ranges::none_of(all, [](char c) { return c != '\n' && c >= 0 && c < ' '; })) << all;
    EXPECT_EQ(all.find("\xC2\x9B"), std::string::npos) << all;
  }

  std::string problem(const std::string& name, const std::string& measurement,
                      const std::string& constraint) const {
    return write("problem.toml",
                 "name = \"" + name +
                     "\"\n[environment]\nkind = \"grid\"\nmap = \"SG\"\nhorizon = 9\n[environment.step]\n\"" +
                     measurement + "\" = 1\n[target]\nconstraints = [\"" + constraint + "\"]\n");
  }

  const std::string directory_ =
      testing::TempDir() + "c2rl_untrusted_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(UntrustedText, InNamesOfMeasurements) {
  const std::string file = problem("fine", "a" + kToml, "\\\"a" + kToml + "\\\" <= 2");
  expect_shown(c2rl({"check", file}), 0);
  const std::string run = directory_ + "/run";
  expect_shown(c2rl({"solve", file, "--out", run}), 0);
}

TEST_F(UntrustedText, InConstraintsThatAreWrong) {
  expect_shown(c2rl({"check", problem("fine", "a", "\\\"" + kToml + "\\\" <= 2")}), 2);
  expect_shown(c2rl({"check", problem("fine", "a", "a <= 2" + kToml)}), 2);
}

TEST_F(UntrustedText, InTheProblemsName) {
  expect_shown(c2rl({"solve", problem(kToml, "a", "a <= 2")}), 2);
}

TEST_F(UntrustedText, InPointsAndTheirIds) {
  const std::string points = write("points.csv", "id,cost" + kOrder + "\nfirst" + kOneByteOrder + ",1\n");
  expect_shown(c2rl({"mix", points, "-c", "\"cost" + kOrder + "\" <= 2"}), 0);
  expect_shown(c2rl({"mix", points, "-c", "\"cost" + kOrder + "\" <= 0"}), 3);
  expect_shown(c2rl({"mix", points, "-c", "\"cost" + kOrder + "\" <= 2", "--json"}), 0);
  expect_shown(c2rl({"mix", write("bad.csv", "cost\n" + kOrder + "\n"), "-c", "cost <= 2"}), 2);
}

TEST_F(UntrustedText, InNamesOfFilesAndArguments) {
  expect_shown(c2rl({"check", directory_ + "/" + kOrder}), 2);
  expect_shown(c2rl({"show", directory_ + "/" + kOneByteOrder}), 2);
  expect_shown(c2rl({kOrder}), 2);
  expect_shown(c2rl({"list", kOrder}), 2);
  expect_shown(c2rl({"check", problem("fine", "a", "a <= 2"), "--set", "oracle.kind=" + kOrder}), 2);
  const std::string points = write("p" + kOrder + ".csv", "a\n1\nx\n");
  expect_shown(c2rl({"mix", points, "-c", "a <= 2"}), 2);
}

TEST_F(UntrustedText, InKeysAndModels) {
  expect_shown(c2rl({"check", write("key.toml", "\"" + kToml + "\" = 1\n")}), 2);
  write("model.drn", "@type: " + kOrder + "\n");
  expect_shown(c2rl({"check", write("file.toml", "[environment]\nkind = \"file\"\npath = \"model.drn\"\n")}),
               2);
}

TEST_F(UntrustedText, KeepsTablesStraight) {
  const std::string points = write("points.csv", "id,cost\n\"first\nline\",1\n");
  const Finished run = c2rl({"mix", points, "-c", "cost <= 2"});
  EXPECT_NE(run.out.find("first line"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace c2rl
