#pragma once

#include <functional>

namespace c2rl {

/// Where `f`, continuous and never falling, crosses zero in [low, high], to rounding of `high`; the end
/// nearer to the crossing when there is none between.
double increasing_root(const std::function<double(double)>& f, double low, double high);

}  // namespace c2rl
