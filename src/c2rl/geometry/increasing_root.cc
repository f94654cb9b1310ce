#include "c2rl/geometry/increasing_root.h"

#include <cmath>

#include "c2rl/base/vector.h"

namespace c2rl {

double increasing_root(const std::function<double(double)>& f, double low, double high) {
  const double width = high - low;
  double f_low = f(low), f_high = f(high);
  if (f_low >= 0) return low;
  if (f_high <= 0) return high;

  // False position, halving the weight of an end that stays (Illinois).
  constexpr int kMaxSteps = 100;
  const double flat = kEpsilon * (std::abs(f_low) + std::abs(f_high));
  int stayed = 0;  // +1: the high end moved last, -1: the low end
  double root = low;
  for (int i = 0; i < kMaxSteps && high - low > kEpsilon * width; ++i) {
    root = high - f_high * (high - low) / (f_high - f_low);
    if (!(low < root && root < high)) root = 0.5 * (low + high);
    const double f_root = f(root);
    if (std::abs(f_root) <= flat) break;
    if (f_root > 0) {
      high = root;
      f_high = f_root;
      if (stayed == 1) f_low /= 2;
      stayed = 1;
    } else {
      low = root;
      f_low = f_root;
      if (stayed == -1) f_high /= 2;
      stayed = -1;
    }
  }
  return root;
}

}  // namespace c2rl
