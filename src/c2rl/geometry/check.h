#pragma once

#include <string>

#include "c2rl/base/error.h"
#include "c2rl/base/vector.h"
#include "c2rl/geometry/convex_set.h"

namespace c2rl {

/// What the set constructors ask of their arguments; each failure is an InputError that names the argument.

inline void check(bool condition, const std::string& field, const std::string& expected) {
  if (!condition) throw InputError({.field = field}, "expected " + expected);
}

template <typename Derived>
void check_finite(const Eigen::MatrixBase<Derived>& values, const std::string& field) {
  check(values.size() > 0, field, "at least one number");
  check(values.allFinite(), field, "finite numbers");
  check(values.cwiseAbs().maxCoeff() <= kLargestNumber, field, "numbers from -1e100 to 1e100");
}

inline void check_size(Eigen::Index found, Eigen::Index expected, const std::string& field) {
  check(found == expected, field, std::to_string(expected) + " numbers, found " + std::to_string(found));
}

/// Bounds may also be infinite.
inline void check_bounds(const Vector& values, const std::string& field) {
  check(!values.hasNaN(), field, "numbers, found NaN");
  const auto fits = values.array().abs() <= kLargestNumber || values.array().isInf();
  check(fits.all(), field, "numbers from -1e100 to 1e100, or infinity");
}

}  // namespace c2rl
