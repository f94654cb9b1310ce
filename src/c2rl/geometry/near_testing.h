#pragma once

#include <gtest/gtest.h>

#include "c2rl/base/vector.h"

namespace c2rl {

inline void expect_near(const Vector& found, const Vector& expected, double tolerance = 1e-12) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).norm(), tolerance)
      << "found " << found.transpose() << ", expected " << expected.transpose();
}

}  // namespace c2rl
