#include "c2rl/geometry/constraint.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/decompositions.h"
#include "c2rl/base/text.h"
#include "c2rl/geometry/constraint_tokens.h"
#include "c2rl/geometry/convex_set.h"
#include "c2rl/geometry/expression.h"

namespace c2rl {
namespace {

/// Bounds that touch on paper may cross by the rounding of the arithmetic that led to them, as in
/// 0.1*3 <= a <= 0.3.
constexpr double kTouching = 4 * kEpsilon;

const char* const kTooLarge = "the result is too large, expected numbers up to 1e100";
const char* const kImpossible = "no point can satisfy this comparison";

bool is_comparison(const Token& token) {
  return token.is("<=") || token.is(">=") || token.is("==");
}

class ConstraintParser {
 public:
  ConstraintParser(std::string_view text, std::span<const std::string> names, const Place& place)
      : reader_(text, place), names_(names), result_{.text = std::string(text), .ranges = {}, .norms = {}} {}

  Constraint parse() {
    if (reader_.peek().kind == Token::Kind::end) {
      reader_.fail(0, "found nothing, expected a comparison such as 0 <= x <= 1");
    }
    Expression left = parse_expression(reader_, names_);
    if (!is_comparison(reader_.peek()))
      fail_after_expression("an operator or a comparison: '<=', '>=' or '=='");
    while (is_comparison(reader_.peek())) {
      const Token comparison = reader_.take();
      check_direction(comparison);
      Expression right = parse_expression(reader_, names_);
      add_comparison(left, comparison, right);
      left = std::move(right);
    }
    if (reader_.peek().kind != Token::Kind::end)
      fail_after_expression("an operator, a comparison or the end");
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail_after_expression(const std::string& expected) const {
    if (reader_.peek().is(")")) reader_.fail(reader_.peek().position, "found ')' without a '(' before it");
    reader_.fail_expected(expected);
  }

  void check_direction(const Token& comparison) {
    if (comparison.is("==")) return;
    if (!direction_.empty() && !comparison.is(direction_)) {
      reader_.fail(
          comparison.position,
          fmt::format("found '{}' after '{}', expected one direction in a chain; write two constraints",
                      comparison.text, direction_));
    }
    direction_ = comparison.text;
  }

  void add_comparison(const Expression& left, const Token& comparison, const Expression& right) {
    const bool reversed = comparison.is(">=");
    // The comparison says: difference <= 0, or == 0.
    Expression difference = reversed ? left : right;
    difference *= -1;
    difference += reversed ? right : left;
    if (!difference.is_finite()) reader_.fail(comparison.position, kTooLarge);
    if (difference.is_constant()) {
      reader_.fail(
          comparison.position,
          "this comparison depends on no measurement; expected at least one of " + join(names_, ", "));
    }
    if (difference.is_linear()) {
      const double bound = -difference.constant;
      add_range(difference.coefficients, comparison.is("==") ? bound : -kInfinity, bound, comparison);
    } else {
      add_norm(difference, comparison);
    }
  }

  /// scale * |A x - b| + the rest of `difference` <= 0.
  void add_norm(const Expression& difference, const Token& comparison) {
    for (const NormTerm& term : difference.norms) {
      if (term.scale < 0 || comparison.is("==")) {
        reader_.fail(term.position, fmt::format("not convex: {0}(...) can only be bounded from above, as in "
                                                "{0}(...) <= 1",
                                                term.function));
      }
    }
    const NormTerm& term = difference.norms.front();
    if (difference.norms.size() > 1) {
      reader_.fail(difference.norms[1].position,
                   "found a second abs or norm in one comparison, expected at most one");
    }
    if (term.a.rows() == 1) {
      for (const double sign : {1.0, -1.0}) {
        const double slope = sign * term.scale;
        add_range(slope * term.a.row(0).transpose() + difference.coefficients, -kInfinity,
                  slope * term.b(0) - difference.constant, comparison);
      }
      return;
    }
    if ((difference.coefficients.array() != 0).any()) {
      reader_.fail(term.position, "found a measurement outside norm(...), expected only numbers beside it");
    }
    const double radius = -difference.constant / term.scale;
    const double scale = term.a.cwiseAbs().maxCoeff();
    const double size = std::max(std::abs(radius), term.b.cwiseAbs().maxCoeff()) / scale;
    if (!std::isfinite(radius) || !(size <= kLargestNumber)) reader_.fail(comparison.position, kTooLarge);
    if (radius < 0) reader_.fail(comparison.position, kImpossible);
    result_.norms.push_back({.a = term.a, .b = term.b, .radius = std::abs(radius), .scale = term.scale});
  }

  void add_range(Vector normal, double lower, double upper, const Token& comparison) {
    const auto first = std::find_if(normal.begin(), normal.end(), [](double x) { return x != 0; });
    if (first == normal.end()) {  // abs(a) <= a + 1, where a is positive
      if (upper < 0) reader_.fail(comparison.position, kImpossible);
      return;
    }
    // A bound is finite unless there is none; the distance of its plane from the origin must not be too large.
    const bool fits = std::abs(upper / normal.stableNorm()) <= kLargestNumber;
    if (!normal.allFinite() || !std::isfinite(upper) || !fits) {
      reader_.fail(comparison.position, kTooLarge);
    }
    if (*first < 0) {
      normal = -normal;
      lower = -std::exchange(upper, -lower);
    }
    const auto same_normal = [&](const LinearRange& range) { return range.normal == normal; };
    auto range = std::find_if(result_.ranges.begin(), result_.ranges.end(), same_normal);
    if (range == result_.ranges.end()) {
      result_.ranges.push_back({.normal = normal});
      range = std::prev(result_.ranges.end());
    }
    if (!range->narrow(lower, upper)) reader_.fail(comparison.position, kImpossible);
  }

  TokenReader reader_;
  std::span<const std::string> names_;
  Constraint result_;
  std::string direction_;  // of the chain, once known: <= or >=
};

}  // namespace

bool LinearRange::narrow(double other_lower, double other_upper) {
  // Adding 0 turns -0 into 0.
  lower = std::max(lower, other_lower) + 0.0;
  upper = std::min(upper, other_upper) + 0.0;
  if (lower <= upper) return true;
  if (lower - upper > kTouching * std::max(std::abs(lower), std::abs(upper))) return false;
  upper = lower;
  return true;
}

double Constraint::violation(const Vector& x) const {
  double worst = -kInfinity;
  for (const LinearRange& range : ranges) {
    const double value = range.normal.dot(x);
    worst = std::max(worst, std::max(range.lower - value, value - range.upper) / range.normal.stableNorm());
  }
  for (const NormBound& norm : norms) {
    worst = std::max(worst, ((norm.a * x - norm.b).norm() - norm.radius) / spectral_norm(norm.a));
  }
  return worst;
}

Excess Constraint::excess(const Vector& x, const Vector& sizes) const {
  Excess worst;
  const auto consider = [&](double amount, double terms) {
    if (amount > worst.amount) worst = {amount, terms};
  };
  for (const LinearRange& range : ranges) {
    const double value = range.normal.dot(x);
    const double terms = range.normal.cwiseAbs().dot(sizes);
    consider(range.lower - value, terms + std::abs(range.lower));
    consider(value - range.upper, terms + std::abs(range.upper));
  }
  for (const NormBound& norm : norms) {
    const Vector terms = norm.a.cwiseAbs() * sizes + norm.b.cwiseAbs();
    consider(norm.scale * ((norm.a * x - norm.b).norm() - norm.radius),
             norm.scale * (terms.norm() + norm.radius));
  }
  return worst;
}

double Constraint::size(const Vector& x) const {
  double largest = 0;
  for (const LinearRange& range : ranges) {
    const double bound = std::max(std::isfinite(range.lower) ? std::abs(range.lower) : 0,
                                  std::isfinite(range.upper) ? std::abs(range.upper) : 0);
    largest =
        std::max(largest, (range.normal.cwiseAbs().dot(x.cwiseAbs()) + bound) / range.normal.stableNorm());
  }
  for (const NormBound& norm : norms) {
    const double value = Vector(norm.a.cwiseAbs() * x.cwiseAbs() + norm.b.cwiseAbs()).norm() + norm.radius;
    largest = std::max(largest, value / spectral_norm(norm.a));
  }
  return largest;
}

Constraint parse_constraint(std::string_view text, std::span<const std::string> names, const Place& place) {
  return ConstraintParser(trim(text), names, place).parse();
}

}  // namespace c2rl
