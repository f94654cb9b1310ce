#include "c2rl/solve/line_search.h"

#include <cmath>

namespace c2rl {

double exact_line_search(const ConvexSet& target, const Vector& x, const Vector& direction, double longest) {
  // The slope along the line is continuous and never falls: find where it crosses zero by false position,
  // halving the weight of an end that stays (Illinois).
  const auto slope = [&](double step) {
    const Vector y = x + step * direction;
    return (y - target.project(y)).dot(direction);
  };
  double low = 0, high = longest;
  double slope_low = slope(low), slope_high = slope(high);
  if (slope_low >= 0) return 0;
  if (slope_high <= 0) return longest;

  constexpr int kMaxSteps = 100;
  const double flat = kEpsilon * (std::abs(slope_low) + std::abs(slope_high));
  int stayed = 0;  // +1: the high end moved last, -1: the low end
  double step = low;
  for (int i = 0; i < kMaxSteps && high - low > kEpsilon * longest; ++i) {
    step = high - slope_high * (high - low) / (slope_high - slope_low);
    if (!(low < step && step < high)) step = 0.5 * (low + high);
    const double s = slope(step);
    if (std::abs(s) <= flat) break;
    if (s > 0) {
      high = step;
      slope_high = s;
      if (stayed == 1) slope_low /= 2;
      stayed = 1;
    } else {
      low = step;
      slope_low = s;
      if (stayed == -1) slope_high /= 2;
      stayed = -1;
    }
  }
  return step;
}

}  // namespace c2rl
