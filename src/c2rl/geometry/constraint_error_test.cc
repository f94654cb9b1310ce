// What is said of constraints that cannot be read.

#include <algorithm>

#include <gtest/gtest.h>

#include "c2rl/geometry/constraint.h"

namespace c2rl {
namespace {

const std::vector<std::string> kNames = {"a", "b", "steps", "wall hits"};

std::string error_of(std::string_view text, const Place& place = {}) {
  try {
    parse_constraint(text, kNames, place);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ConstraintError, ShowsTheLineWithACaret) {
  EXPECT_EQ(error_of("0 <= stepz <= 11", {.file = "p.toml", .field = "target.constraints"}),
            "p.toml: target.constraints: unknown measurement 'stepz'; did you mean 'steps'?\n"
            "  0 <= stepz <= 11\n"
            "       ^");
  EXPECT_EQ(error_of("\"größe\" +\ta <= 1 1"),
            "unknown measurement 'größe'; known: a, b, steps, wall hits\n"
            "  \"größe\" + a <= 1 1\n"
            "  ^");
  EXPECT_EQ(
      error_of("a\n≤ 1"),
      "found '≤', which means nothing here; expected a number, a measurement, an operator or a comparison\n"
      "  a ≤ 1\n"
      "    ^");
}

struct BadText {
  std::string text;
  size_t caret;  // column from 0
  std::string message;
};

TEST(ConstraintError, SaysWhatWasFoundAndWhatWasExpected) {
  const std::string not_convex_abs =
      "not convex: abs(...) can only be bounded from above, as in abs(...) <= 1";
  const std::string not_convex_norm =
      "not convex: norm(...) can only be bounded from above, as in norm(...) <= 1";
  const std::string not_linear =
      "a product of two measurements is not linear; expected a number on one side of '*'";
  const std::string too_large = "the result is too large, expected numbers up to 1e100";
  const std::string constant =
      "this comparison depends on no measurement; expected at least one of a, b, steps, wall hits";
  const std::string impossible = "no point can satisfy this comparison";
  const std::string operand = "expected a number, a measurement, '(', abs(...) or norm(...)";
  const std::string infinite = "expected a finite number; leave out an infinite bound";
  const std::string no_symbol =
      "which means nothing here; expected a number, a measurement, an operator or a comparison";
  const std::string comparison = "expected an operator or a comparison: '<=', '>=' or '=='";
  const std::vector<BadText> cases = {
      {"", 0, "found nothing, expected a comparison such as 0 <= x <= 1"},
      {"a < 1", 2, "found a strict '<', expected '<=': a target includes its boundary"},
      {"a > 1", 2, "found a strict '>', expected '>=': a target includes its boundary"},
      {"a = 1", 2, "found '=', expected '==', '<=' or '>='"},
      {"a =< 1", 2, "found '=', expected '==', '<=' or '>='"},
      {"a != 1", 2, "found '!', " + no_symbol},
      {"norm(a, b) >= 1", 0, not_convex_norm},
      {"1 <= 2*norm(a, b)", 7, not_convex_norm},
      {"norm(a, b) == 1", 0, not_convex_norm},
      {"abs(a) == 1", 0, not_convex_abs},
      {"abs(a) >= 1", 0, not_convex_abs},
      {"-abs(a) <= -1", 1, not_convex_abs},
      {"abs(a) <= abs(b)", 10, not_convex_abs},
      {"abs(a) + abs(b) <= 1", 9, "found a second abs or norm in one comparison, expected at most one"},
      {"norm(a, b) <= steps", 0, "found a measurement outside norm(...), expected only numbers beside it"},
      {"norm(a, abs(b)) <= 1", 8, "expected a linear expression inside norm(...)"},
      {"abs(a, b) <= 1", 5, "found a second argument, expected ')': abs takes one, norm any number"},
      {"norm() <= 1", 5, "found ')', " + operand},
      {"a * b <= 1", 2, not_linear},
      {"a*abs(b) <= 1", 1, not_linear},
      {"1 / a <= 1", 4, "found a measurement below '/', expected a number: this is not linear"},
      {"a / (1 - 1) <= 1", 4, "division by zero"},
      {"(a + 1 <= 2", 7, "found '<=', expected an operator or ')'"},
      {"1 <= (a + 1", 5, "this '(' is never closed; expected ')'"},
      {"a) <= 1", 1, "found ')' without a '(' before it"},
      {"a <= 1)", 6, "found ')' without a '(' before it"},
      {"a + b", 5, "found the end, " + comparison},
      {"2 a <= 1", 2, "found 'a', " + comparison},
      {"2 \"a\" <= 1", 2, "found \"a\", " + comparison},
      {"a <= 1, b <= 2", 6, "found ',', expected an operator, a comparison or the end"},
      {"a <=", 4, "found the end, " + operand},
      {"a <= * 2", 5, "found '*', " + operand},
      {"1 <= 2", 2, constant},
      {"a <= a + 1", 2, constant},
      {"0 * norm(a, b) <= 1", 15, constant},
      {"0 <= 1 <= a", 2, constant},
      {"a <= nan", 5, "found 'nan', " + infinite},
      {"a <= Inf", 5, "found 'Inf', " + infinite},
      {"a >= 1e155", 2, too_large},
      {"norm(a, b) <= 1e101", 11, too_large},
      {"a <= 1e999", 5, "1e999 is too large for a number"},
      {"a <= 1e308*10", 10, too_large},
      {"a - 1e308 <= 1e308", 10, too_large},
      {"1e-300*a <= 1e300", 9, too_large},
      {"max(a, b) <= 1", 0, "unknown function 'max'; known: abs, norm"},
      {"nrom(a, b) <= 1", 0, "unknown function 'nrom'; did you mean 'norm'?"},
      {"1 <= a >= 2", 7, "found '>=' after '<=', expected one direction in a chain; write two constraints"},
      {"3 >= a == b <= 2", 12,
       "found '<=' after '>=', expected one direction in a chain; write two constraints"},
      {"3 <= a <= 2", 7, impossible},
      {"norm(a, b) <= -1", 11, impossible},
      {"abs(a) <= a - 1", 7, impossible},
      {"\"wall hits <= 1", 0, "this quoted name has no closing quote"},
      {"a & b <= 1", 2, "found '&', " + no_symbol},
      {"a \x01 <= 1", 2, "found '\\x01', " + no_symbol},
  };
  for (const BadText& bad : cases) {
    std::string shown = bad.text;
    std::replace(shown.begin(), shown.end(), '\x01', ' ');
    EXPECT_EQ(error_of(bad.text), bad.message + "\n  " + shown + "\n  " + std::string(bad.caret, ' ') + "^");
  }
}

TEST(ConstraintError, DeepNestingIsRefusedNotFollowed) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')') + " <= 1";
  };
  EXPECT_EQ(error_of(nested(100)), "no error");
  EXPECT_EQ(error_of(nested(1000000)).substr(0, 39), "parentheses are nested more than 100 de");
  EXPECT_EQ(error_of(std::string(1000000, '-') + "a <= 1"), "no error");
}

}  // namespace
}  // namespace c2rl
