#include "c2rl/cli/live_line.h"

#include <sstream>

#include <gtest/gtest.h>

namespace c2rl {
namespace {

TEST(LiveLine, FitsTheTerminal) {
  std::ostringstream out, err;
  const Console console{out, err, true, 20};
  draw_line(console, "call 1 (50%)  distance 0.123456");
  EXPECT_EQ(err.str(), "\r\x1b[Kcall 1 (50%)  dista");
  err.str("");
  draw_line(console, "short");
  EXPECT_EQ(err.str(), "\r\x1b[Kshort");
}

}  // namespace
}  // namespace c2rl
