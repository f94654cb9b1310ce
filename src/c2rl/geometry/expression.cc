#include "c2rl/geometry/expression.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"

namespace c2rl {
namespace {

/// Parentheses and functions inside each other; far more than anyone writes, far less than the stack holds.
constexpr int kMaxDepth = 100;

const std::vector<std::string> kFunctions = {"abs", "norm"};

bool vanishes(const NormTerm& norm) {
  return norm.scale == 0;
}

class ExpressionParser {
 public:
  ExpressionParser(TokenReader& reader, std::span<const std::string> names)
      : reader_(reader), names_(names) {}

  Expression expression() {
    Expression sum = term();
    while (reader_.peek().is("+") || reader_.peek().is("-")) {
      const Token sign = reader_.take();
      Expression next = term();
      if (sign.is("-")) next *= -1;
      sum += next;
      check_finite(sum, sign.position);
    }
    return sum;
  }

 private:
  Expression term() {
    Expression product = factor();
    while (reader_.peek().is("*") || reader_.peek().is("/")) {
      const Token sign = reader_.take();
      const size_t next_position = reader_.peek().position;
      Expression next = factor();
      if (sign.is("*")) {
        if (product.is_constant()) std::swap(product, next);
        if (!next.is_constant()) {
          reader_.fail(sign.position,
                       "a product of two measurements is not linear; expected a number on one side of '*'");
        }
        product *= next.constant;
      } else {
        if (!next.is_constant()) {
          reader_.fail(next_position, "found a measurement below '/', expected a number: this is not linear");
        }
        if (next.constant == 0) reader_.fail(next_position, "division by zero");
        product /= next.constant;
      }
      check_finite(product, sign.position);
    }
    return product;
  }

  Expression factor() {
    double sign = 1;
    while (reader_.peek().is("+") || reader_.peek().is("-")) {
      if (reader_.take().is("-")) sign = -sign;
    }
    Expression result = primary();
    if (sign < 0) result *= sign;
    return result;
  }

  Expression primary() {
    const Token& next = reader_.peek();
    if (next.kind == Token::Kind::number) return constant(reader_.take().value);
    if (next.is("(")) {
      const Token open = reader_.take();
      Expression inner = nested(open);
      close(open);
      return inner;
    }
    if (next.kind == Token::Kind::name && reader_.peek_second().is("(")) return function();
    if (next.is_name()) return measurement();
    reader_.fail_expected("a number, a measurement, '(', abs(...) or norm(...)");
  }

  Expression measurement() {
    const Token token = reader_.take();
    const auto found = std::find(names_.begin(), names_.end(), token.text);
    if (found == names_.end()) {
      // Not a slip for some measurement, but what a number may be elsewhere: inf or nan.
      if (token.kind == Token::Kind::name && parse_number(token.text)) {
        reader_.fail(
            token.position,
            fmt::format("found '{}', expected a finite number; leave out an infinite bound", token.text));
      }
      reader_.fail(token.position, unknown_name_message("measurement", token.text, names_));
    }
    Expression result = constant(0);
    result.coefficients(found - names_.begin()) = 1;
    return result;
  }

  Expression function() {
    const Token name = reader_.take();
    if (std::find(kFunctions.begin(), kFunctions.end(), name.text) == kFunctions.end()) {
      reader_.fail(name.position, unknown_name_message("function", name.text, kFunctions));
    }
    const Token open = reader_.take();
    std::vector<Expression> arguments;
    do {
      const size_t position = reader_.peek().position;
      arguments.push_back(nested(open));
      if (!arguments.back().is_linear()) {
        reader_.fail(position, fmt::format("expected a linear expression inside {}(...)", name.text));
      }
      if (name.text == "abs" && reader_.peek().is(",")) {
        reader_.fail(reader_.peek().position,
                     "found a second argument, expected ')': abs takes one, norm any number");
      }
    } while (reader_.take_if(","));
    close(open);
    return norm_of(arguments, name);
  }

  Expression norm_of(const std::vector<Expression>& arguments, const Token& name) {
    const auto rows = static_cast<Eigen::Index>(arguments.size());
    NormTerm norm{.a = Matrix(rows, names_.size()),
                  .b = Vector(rows),
                  .function = name.text,
                  .position = name.position};
    for (Eigen::Index i = 0; i < rows; ++i) {
      norm.a.row(i) = arguments[static_cast<size_t>(i)].coefficients;
      norm.b(i) = -arguments[static_cast<size_t>(i)].constant;
    }
    if ((norm.a.array() == 0).all()) {
      Expression number = constant(norm.b.stableNorm());
      check_finite(number, name.position);
      return number;
    }
    Expression result = constant(0);
    result.norms.push_back(std::move(norm));
    return result;
  }

  Expression nested(const Token& open) {
    if (++depth_ > kMaxDepth) {
      reader_.fail(open.position, fmt::format("parentheses are nested more than {} deep", kMaxDepth));
    }
    Expression inner = expression();
    --depth_;
    return inner;
  }

  void close(const Token& open) {
    if (reader_.take_if(")")) return;
    if (reader_.peek().kind == Token::Kind::end)
      reader_.fail(open.position, "this '(' is never closed; expected ')'");
    reader_.fail_expected("an operator or ')'");
  }

  Expression constant(double value) const {
    return {.coefficients = Vector::Zero(static_cast<Eigen::Index>(names_.size())), .constant = value};
  }

  void check_finite(const Expression& expression, size_t position) const {
    if (!expression.is_finite())
      reader_.fail(position, "the result is too large, expected numbers up to 1e100");
  }

  TokenReader& reader_;
  std::span<const std::string> names_;
  int depth_ = 0;
};

}  // namespace

bool Expression::is_finite() const {
  const bool norms_finite =
      std::all_of(norms.begin(), norms.end(), [](const NormTerm& norm) { return std::isfinite(norm.scale); });
  return norms_finite && std::isfinite(constant) && coefficients.allFinite();
}

Expression& Expression::operator+=(const Expression& other) {
  coefficients += other.coefficients;
  constant += other.constant;
  norms.insert(norms.end(), other.norms.begin(), other.norms.end());
  return *this;
}

Expression& Expression::operator*=(double factor) {
  coefficients *= factor;
  constant *= factor;
  for (NormTerm& norm : norms) norm.scale *= factor;
  std::erase_if(norms, vanishes);
  return *this;
}

Expression& Expression::operator/=(double divisor) {
  // Not a product with 1 / divisor, which would round twice.
  coefficients /= divisor;
  constant /= divisor;
  for (NormTerm& norm : norms) norm.scale /= divisor;
  std::erase_if(norms, vanishes);
  return *this;
}

Expression parse_expression(TokenReader& reader, std::span<const std::string> names) {
  return ExpressionParser(reader, names).expression();
}

}  // namespace c2rl
