#include "c2rl/base/printable.h"

#include <gtest/gtest.h>

#include "c2rl/base/json.h"

namespace c2rl {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "steps <= 11\n\trisk", "Größe ± 1 °", "日本", "𝔸"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsOrdersToATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(printable("\x1b]0;title\x07"), "\\u001b]0;title\\u0007");
  EXPECT_EQ(printable("right\rwrong\b\x7f"), "right\\u000dwrong\\u0008\\u007f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "\\u009b2J");  // one character, the same as ESC [
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "txt"),
            "\\u202etxt");  // what follows is written from the right
}

TEST(Printable, ReplacesWhatIsNoText) {
  EXPECT_EQ(printable("\x9B"
                      "2J"),
            "\uFFFD2J");                                       // ESC [ where a terminal takes single bytes
  EXPECT_EQ(printable("\xC0\x9B"), "\uFFFD\uFFFD");            // ESC in two bytes instead of one
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // half of a pair
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond the last character
  EXPECT_EQ(printable("a\xE2\x82"), "a\uFFFD\uFFFD");                    // cut off
}

TEST(Printable, ReadsBackFromJson) {
  const Json json = {"\x1b[2J \x7f \xC2\x9B \xE2\x80\xAE"};
  EXPECT_EQ(parse_json(printable(to_text(json))), json);
}

}  // namespace
}  // namespace c2rl
