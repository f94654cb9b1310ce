#include "c2rl/base/toml_limits.h"

#include <gtest/gtest.h>

#include "c2rl/base/config.h"

namespace c2rl {
namespace {

std::string error_of(const std::string& text) {
  try {
    Config::parse(text, "p.toml").values();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string repeated(const std::string& piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(TomlLimits, KeysOfManyParts) {
  EXPECT_EQ(error_of("x = 1\n" + repeated("a.", kMostTomlKeyParts - 1) + "a = 1"), "");
  const std::string expected = "p.toml:2: found a key of more than 32 parts, expected fewer";
  for (const int parts : {kMostTomlKeyParts, 50'000}) {
    EXPECT_EQ(error_of("x = 1\n" + repeated("a.", parts) + "a = 1"), expected);
    EXPECT_EQ(error_of("x = 1\n[" + repeated("a.", parts) + "a]"), expected);
    EXPECT_EQ(error_of("x = 1\n[[" + repeated("a . ", parts) + "a]]"), expected);
    EXPECT_EQ(error_of("x = 1\n" + repeated("\"a=\".'b' .", parts) + "a = 1"), expected);
    EXPECT_EQ(error_of("x = 1\ny = {" + repeated("a.", parts) + "a = 1}"), expected);
  }
  Config config = Config::parse("", "p.toml");
  EXPECT_THROW(config.override_value(repeated("a.", 50'000) + "a=1"), InputError);
}

TEST(TomlLimits, DotsInTextAreNoParts) {
  const std::string dots = repeated("a.", 1000);
  EXPECT_EQ(error_of("map = \"\"\"\n" + dots + "\n\"" + dots + "\\\"\"\"" + dots + "\"\"\"\"\"\nx = 1"), "");
  EXPECT_EQ(error_of("map = '''\n" + dots + "''" + dots + "'''"), "");
  EXPECT_EQ(error_of("map = \"" + dots + "\\\"" + dots + "\" # " + dots + "\nx = '" + dots + "'"), "");
  EXPECT_EQ(error_of("x = [" + repeated("1.5, ", 1000) + "]"), "");
}

TEST(TomlLimits, NestingIsRefused) {
  EXPECT_EQ(error_of("x = " + repeated("[", 30) + repeated("]", 30)), "");
  for (const int depth : {40, 50'000}) {
    EXPECT_NE(error_of("x = " + repeated("[", depth) + repeated("]", depth)).find("nested"),
              std::string::npos);
    EXPECT_NE(error_of("x = " + repeated("{a = ", depth) + "1" + repeated("}", depth)).find("nested"),
              std::string::npos);
    EXPECT_NE(error_of("x = " + repeated("[", depth)), "");
  }
}

// toml++ takes for granted that it is never asked whether these are blanks.
TEST(TomlLimits, LettersBeyondAsciiAreNoBlanks) {
  EXPECT_NE(error_of("[target\u0482et]\n"), "");
  EXPECT_NE(error_of("\u00e9 = 1\n"), "");
  const Config config = Config::parse("a = \"\"\"one \\\n  \u00e9t\u00e9\"\"\"\n", "p.toml");
  EXPECT_EQ(config.text("a", ""), "one \u00e9t\u00e9");
}

TEST(TomlLimits, LargeFilesAreRefused) {
  EXPECT_EQ(error_of("# " + std::string(17 << 20, 'x')),
            "p.toml: has 17825794 bytes, expected at most 16 MiB");
}

}  // namespace
}  // namespace c2rl
