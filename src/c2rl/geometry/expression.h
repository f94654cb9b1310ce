#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/geometry/constraint_tokens.h"

namespace c2rl {

/// scale * |A x - b|: what abs(...) and norm(...) mean, abs being the norm of a single row.
struct NormTerm {
  double scale = 1;
  Matrix a;
  Vector b;
  std::string function;  // as written: abs or norm
  size_t position = 0;   // in the constraint's text
};

/// coefficients.x + constant + the norm terms: all that one side of a comparison can be.
struct Expression {
  Vector coefficients;
  double constant = 0;
  std::vector<NormTerm> norms = {};

  bool is_linear() const { return norms.empty(); }
  bool is_constant() const { return norms.empty() && (coefficients.array() == 0).all(); }
  bool is_finite() const;

  Expression& operator+=(const Expression& other);
  Expression& operator*=(double factor);
  Expression& operator/=(double divisor);
};

/// Reads the longest expression that comes next:
///   expression = term {("+" | "-") term}        term = factor {("*" | "/") factor}
///   factor = {"+" | "-"} (number | name | "(" expression ")" | function)
///   function = ("abs" | "norm") "(" expression {"," expression} ")"
Expression parse_expression(TokenReader& reader, std::span<const std::string> names);

}  // namespace c2rl
