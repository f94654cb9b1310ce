#include "c2rl/geometry/linear_expression.h"

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/geometry/constraint_tokens.h"
#include "c2rl/geometry/expression.h"

namespace c2rl {

LinearExpression parse_linear(std::string_view text, std::span<const std::string> names, const Place& place) {
  text = trim(text);
  const auto name = std::find(names.begin(), names.end(), text);
  if (name != names.end()) {
    const auto dim = static_cast<Eigen::Index>(names.size());
    return {.text = std::string(text), .coefficients = Vector::Unit(dim, name - names.begin())};
  }
  TokenReader reader(text, place);
  if (reader.peek().kind == Token::Kind::end) {
    reader.fail(0, fmt::format("found nothing, expected a linear expression such as {} or 2*{} - 1", names[0],
                               names[0]));
  }
  const Expression expression = parse_expression(reader, names);
  if (reader.peek().kind != Token::Kind::end) reader.fail_expected("an operator or the end");
  if (!expression.is_linear()) {
    const NormTerm& norm = expression.norms.front();
    reader.fail(norm.position, fmt::format("found {}(...), expected a linear expression", norm.function));
  }
  if (expression.is_constant()) {
    reader.fail(0, fmt::format("this depends on no measurement; expected at least one of {}",
                               fmt::join(names, ", ")));
  }
  return {std::string(text), expression.coefficients, expression.constant};
}

}  // namespace c2rl
