#pragma once

#include <string>

#include "c2rl/base/error.h"
#include "c2rl/base/vector.h"

namespace c2rl {

/// What the set constructors ask of their arguments; each failure is an InputError that names the argument.

inline void check(bool condition, const std::string& field, const std::string& expected) {
  if (!condition) throw InputError({.field = field}, "expected " + expected);
}

template <typename Derived>
void check_finite(const Eigen::MatrixBase<Derived>& values, const std::string& field) {
  check(values.size() > 0, field, "at least one number");
  check(values.allFinite(), field, "finite numbers");
}

inline void check_size(Eigen::Index found, Eigen::Index expected, const std::string& field) {
  check(found == expected, field, std::to_string(expected) + " numbers, found " + std::to_string(found));
}

inline void check_no_nan(const Vector& values, const std::string& field) {
  check(!values.hasNaN(), field, "numbers, found NaN");
}

}  // namespace c2rl
