#pragma once

#include <cstdint>
#include <span>

#include "c2rl/base/vector.h"

namespace c2rl {

/// What one number per episode came to over episodes of one policy.
struct ScalarSample {
  std::int64_t count = 0;
  double mean = 0;
  double squares = 0, cubes = 0;  // sums of powers of deviations from the mean; 0 when all are equal
  double lowest = kInfinity, highest = -kInfinity;
  std::int64_t at_lowest = 0, at_highest = 0;  // episodes with exactly these values

  void add(double value);
  void merge(const ScalarSample& other);
  double variance() const { return squares / static_cast<double>(count - 1); }
  /// What a sample of another size is expected to look like; the ends stay where they are.
  ScalarSample scaled_to(double size) const;
};

/// What one number per episode can be at all.
struct TotalRange {
  double lowest = -kInfinity, highest = kInfinity;
  bool event = false;  // only these two are possible
};

/// A member of a mixture: its weight and its fresh episodes.
struct Stratum {
  double weight = 0;
  ScalarSample sample;
};

/// With probability 1 - risk (in (0, 1/2)), the mean of the mixture is at most this. The weights must not
/// have been chosen on these episodes. Exact for an event of one member; otherwise Student's t, corrected for
/// skewness and, where the range is known, for what was never seen; where it is not, what happened in no
/// episode is taken not to matter. Infinite where nothing can be said. bench/coverage_bench measures how
/// often it holds.
double upper_limit(std::span<const Stratum> strata, const TotalRange& range, double risk);

/// ... at least this.
double lower_limit(std::span<const Stratum> strata, const TotalRange& range, double risk);

}  // namespace c2rl
