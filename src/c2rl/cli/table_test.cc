#include "c2rl/cli/table.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace c2rl {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

size_t longest_line(const std::string& text) {
  size_t longest = 0;
  for (const std::string& line : lines_of(text)) longest = std::max(longest, line.size());
  return longest;
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(Table, AsWideAsItIsWhereNothingLimitsIt) {
  EXPECT_EQ(format_table({{"name", "x"}, {"a", "1.25"}, {"long one", "±"}}),
            "  name         x\n"
            "  --------  ----\n"
            "  a         1.25\n"
            "  long one     ±\n");
}

TEST(Table, LongTextIsWrappedAtSpaces) {
  EXPECT_EQ(format_table({{"claim", "came out", "holds"}, {"one two three four", "5 <= 6; 7 <= 8", "yes"}},
                         {.width = 30}),
            "  claim        came out  holds\n"
            "  ---------  ----------  -----\n"
            "  one two    5 <= 6; 7     yes\n"
            "  three      <= 8\n"
            "  four\n");
}

TEST(Table, NamesAreWrappedAtHyphensAndNumbersAreNot) {
  EXPECT_EQ(format_table({{"solver", "error"}, {"corrective-mnp", "1e-05"}}, {.width = 20}),
            "  solver       error\n"
            "  -----------  -----\n"
            "  corrective-  1e-05\n"
            "  mnp\n");
}

TEST(Table, ColumnsThatDoNotFitGoOnBelowWithTheKeys) {
  EXPECT_EQ(format_table({{"method", "error", "calls", "policies"}, {"cg", "0.1", "10", "3"}}, {.width = 22}),
            "  method  error  calls\n"
            "  ------  -----  -----\n"
            "  cg        0.1     10\n"
            "\n"
            "  method  policies\n"
            "  ------  --------\n"
            "  cg             3\n");
}

// Whatever the cells are and however narrow the terminal, no line is longer, and every character is there.
RC_GTEST_PROP(TableProperty, FitsAndCutsNothing, ()) {
  const auto columns = *rc::gen::inRange<size_t>(1, 7);
  const int keys = *rc::gen::inRange(1, 3);
  const int width = *rc::gen::inRange(12, 90);
  const auto cell = rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc- ")));
  TableRows rows;
  for (int r = *rc::gen::inRange(1, 5); r > 0; --r)
    rows.push_back(*rc::gen::container<std::vector<std::string>>(columns, cell));
  const std::string text = format_table(rows, {.width = width, .keys = keys});
  RC_ASSERT(longest_line(text) <= static_cast<size_t>(width));
  for (const char letter : {'a', 'b', 'c'}) {
    std::ptrdiff_t expected = 0;
    for (const auto& row : rows) {
      for (size_t i = static_cast<size_t>(keys); i < row.size(); ++i)
        expected += std::count(row[i].begin(), row[i].end(), letter);
    }
    RC_ASSERT(std::count(text.begin(), text.end(), letter) >= expected);
  }
}

TEST(Table, BreakingUpLosesNothing) {
  const std::string word = "abcdefghijklmnopqrstuvwxyz";
  const std::string text = format_table({{word, word}, {word, word}}, {.width = 20});
  EXPECT_LE(longest_line(text), 20u);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'm'), 4);
  EXPECT_NE(without_spaces(text).find("abcdefgh"), std::string::npos);
}

}  // namespace
}  // namespace c2rl
