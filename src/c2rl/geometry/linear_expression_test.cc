#include "c2rl/geometry/linear_expression.h"

#include <vector>

#include <gtest/gtest.h>

namespace c2rl {
namespace {

const std::vector<std::string> kNames = {"reward", "steps", "wall hits", "a-b"};

std::string error_of(const std::string& text) {
  try {
    parse_linear(text, kNames, {.field = "target.maximize"});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LinearExpression, CoefficientsAndConstant) {
  const LinearExpression found = parse_linear(" 2*(reward - steps/4) + 3 - \"wall hits\" ", kNames);
  EXPECT_EQ(found.text, "2*(reward - steps/4) + 3 - \"wall hits\"");
  EXPECT_EQ(found.coefficients, (Vector{{2, -0.5, -1, 0}}));
  EXPECT_EQ(found.constant, 3);
  EXPECT_EQ(found.at(Vector{{10, 4, 1, 100}}), 20);
}

TEST(LinearExpression, ANameAloneNeedsNoQuotes) {
  EXPECT_EQ(parse_linear("wall hits", kNames).coefficients, (Vector{{0, 0, 1, 0}}));
  EXPECT_EQ(parse_linear("a-b", kNames).coefficients, (Vector{{0, 0, 0, 1}}));
}

TEST(LinearExpression, ErrorsSayWhereAndWhat) {
  EXPECT_NE(error_of("reward - stesp").find("did you mean 'steps'?"), std::string::npos);
  EXPECT_NE(error_of("reward <= 3").find("found '<='"), std::string::npos) << error_of("reward <= 3");
  EXPECT_NE(error_of("steps + abs(reward)").find("found abs(...), expected a linear expression"),
            std::string::npos);
  EXPECT_NE(
      error_of("reward - reward + 1").find("depends on no measurement; expected at least one of reward"),
      std::string::npos);
  EXPECT_NE(error_of("  ").find("found nothing, expected a linear expression such as reward"),
            std::string::npos);
  EXPECT_NE(error_of("reward*steps").find("target.maximize"), std::string::npos);
}

}  // namespace
}  // namespace c2rl
