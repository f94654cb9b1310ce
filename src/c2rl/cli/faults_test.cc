#include <filesystem>
#include <ostream>
#include <streambuf>

#include <gtest/gtest.h>

#include "c2rl/cli/command_testing.h"

namespace c2rl {
namespace {

/// Has room for so many bytes.
class FullBuffer : public std::streambuf {
 public:
  explicit FullBuffer(int room) : room_(room) {}

 private:
  int_type overflow(int_type c) override {
    if (room_-- > 0) return c;
    errno = ENOSPC;
    return traits_type::eof();
  }

  int room_;
};

TEST(Faults, OutputThatCannotBeWrittenIsSaidAndCounts) {
  const std::string navigation = std::string(C2RL_SOURCE_DIR) + "/examples/navigation.";
  const std::string run = testing::TempDir() + "c2rl_faults_test";
  std::filesystem::remove_all(run);
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"solve", navigation + "toml", "--out", run, "--quiet"},
           {"show", run},
           {"show", run, "--json"},
           {"verify", run},
           {"evaluate", run, "--episodes", "2"},
           {"mix", navigation + "csv", "-c", "steps <= 9"},
           {"check", navigation + "toml"},
           {"list"},
           {"--help"},
           {"--version"},
       }) {
    for (const int room : {0, 4}) {
      std::filesystem::remove_all(arguments.front() == "solve" ? run : "");
      FullBuffer full(room);
      std::ostream out(&full);
      std::ostringstream err;
      EXPECT_EQ(run_command_line(arguments, {out, err}), 2) << arguments.front();
      EXPECT_EQ(err.str(), "c2rl: the output could not be written: No space left on device\n")
          << arguments.front();
    }
  }
  std::filesystem::remove_all(run);
}

}  // namespace
}  // namespace c2rl
