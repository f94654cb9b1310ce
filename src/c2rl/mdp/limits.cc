#include "c2rl/mdp/limits.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/quantiles.h"

namespace c2rl {
namespace {

ScalarSample negated(const ScalarSample& sample) {
  ScalarSample result = sample;
  result.mean = -sample.mean;
  result.cubes = -sample.cubes;
  result.lowest = -sample.highest;
  result.highest = -sample.lowest;
  result.at_lowest = sample.at_highest;
  result.at_highest = sample.at_lowest;
  return result;
}

/// The largest probability with which `hits` or fewer of `count` happen with more than this risk: the exact
/// limit of Clopper and Pearson.
double upper_probability(std::int64_t hits, std::int64_t count, double risk) {
  if (hits >= count) return 1;
  // The lower quantile of the misses: risk itself is known better than 1 - risk.
  return 1 - beta_quantile(risk, static_cast<double>(count - hits), static_cast<double>(hits + 1));
}

/// Exact for one stratum; for several, each at its part of the risk.
double upper_event_limit(std::span<const Stratum> strata, const TotalRange& range, double risk) {
  double limit = 0;
  for (const Stratum& stratum : strata) {
    const ScalarSample& sample = stratum.sample;
    // Which of the two it is, whatever rounding did to it on the way.
    const bool seen = sample.highest > range.lowest + (range.highest - range.lowest) / 2;
    const std::int64_t hits = seen ? sample.at_highest : 0;
    const double part = upper_probability(hits, sample.count, risk / static_cast<double>(strata.size()));
    limit += stratum.weight * (range.lowest + part * (range.highest - range.lowest));
  }
  return limit;
}

/// Student's t, wider by what the skewness of the totals does to it (Johnson 1978), and at risks below about
/// 0.004 by the next term of the gamma distribution's quantiles: rare events, seldom seen, have those.
double skewed_limit(std::span<const Stratum> strata, double risk, double degrees) {
  double mean = 0, variance = 0, third = 0;
  for (const auto& [weight, sample] : strata) {
    const auto n = static_cast<double>(sample.count);
    mean += weight * sample.mean;
    variance += weight * weight * sample.variance() / n;
    // Of opposite ones the skewness would cancel, but not the tails.
    third += weight * weight * weight * std::max(0.0, sample.cubes) / (n * n * n);
  }
  if (variance == 0) return mean;
  const double skewness = third / std::pow(variance, 1.5);
  const double t = -student_quantile(risk, degrees);
  const double far = std::max(0.0, t * (t * t - 7) / 36);
  return mean + std::sqrt(variance) * (t + skewness * (2 * t * t + 1) / 6 + skewness * skewness * far);
}

}  // namespace

void ScalarSample::add(double value) {
  const auto before = static_cast<double>(count);
  ++count;
  const auto n = static_cast<double>(count);
  const double deviation = value - mean;
  const double part = deviation / n;
  const double square = deviation * part * before;
  mean += part;
  cubes += square * part * (n - 2) - 3 * part * squares;
  squares += square;
  if (value < lowest) {
    lowest = value;
    at_lowest = 0;
  }
  if (value > highest) {
    highest = value;
    at_highest = 0;
  }
  if (value == lowest) ++at_lowest;
  if (value == highest) ++at_highest;
}

void ScalarSample::merge(const ScalarSample& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const auto a = static_cast<double>(count), b = static_cast<double>(other.count);
  const double n = a + b, deviation = other.mean - mean;
  cubes += other.cubes + deviation * deviation * deviation * a * b * (a - b) / (n * n) +
           3 * deviation * (a * other.squares - b * squares) / n;
  squares += other.squares + deviation * deviation * a * b / n;
  mean += deviation * b / n;
  count += other.count;
  if (other.lowest <= lowest) at_lowest = other.at_lowest + (other.lowest == lowest ? at_lowest : 0);
  if (other.highest >= highest) at_highest = other.at_highest + (other.highest == highest ? at_highest : 0);
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
}

ScalarSample ScalarSample::scaled_to(double size) const {
  ScalarSample result = *this;
  if (count == 0) return result;
  const auto before = static_cast<double>(count);
  const double after = std::max(1.0, std::round(size));
  result.count = static_cast<std::int64_t>(after);
  // The variance stays as it is, not the sum divided by the count.
  result.squares = count > 1 ? variance() * (after - 1) : 0;
  result.cubes = cubes * after / before;
  const auto scaled = [&](std::int64_t episodes) {
    return static_cast<std::int64_t>(std::round(static_cast<double>(episodes) / before * after));
  };
  // Those of two values stay all of them.
  const bool two_valued = at_lowest + at_highest == count;
  result.at_highest = scaled(at_highest);
  result.at_lowest = two_valued ? result.count - result.at_highest : scaled(at_lowest);
  return result;
}

double upper_limit(std::span<const Stratum> all, const TotalRange& range, double risk) {
  if (!(risk > 0 && risk < 0.5)) throw std::logic_error(fmt::format("upper_limit: a risk of {}", risk));
  if (range.lowest == range.highest) return range.highest;
  std::vector<Stratum> strata;
  for (const Stratum& stratum : all) {
    if (stratum.weight > 0) strata.push_back(stratum);
  }
  if (strata.empty()) return range.highest;
  std::int64_t least = strata.front().sample.count;
  double highest = range.highest;  // what was seen is possible, whatever was declared
  for (const auto& [weight, sample] : strata) {
    least = std::min(least, sample.count);
    highest = std::max(highest, sample.highest);
  }
  const auto clipped = [&](double limit) { return std::clamp(limit, range.lowest, highest); };
  // Of several members the exact limits together are far too wide: each holds at its part of the risk.
  if (range.event && (strata.size() == 1 || least < 2))
    return clipped(upper_event_limit(strata, range, risk));
  if (least < 2) return highest;
  const auto degrees = static_cast<double>(least - 1);
  if (highest == kInfinity) return std::max(range.lowest, skewed_limit(strata, risk, degrees));

  // Where totals at the end of the range have probabilities p_i in the members, none of them is seen with
  // probability exp(-sum n_i p_i). So those that were not seen, but for the risk, add to the mean no more
  // than log(1 / risk) times what a single one adds where it adds most.
  double mean = 0, unseen = 0;
  const auto added = [&](const Stratum& stratum, double instead_of) {
    return stratum.weight * (highest - instead_of) / static_cast<double>(stratum.sample.count);
  };
  for (const Stratum& stratum : strata) {
    mean += stratum.weight * stratum.sample.mean;
    unseen = std::max(unseen, added(stratum, stratum.sample.highest) * -std::log(risk));
  }
  // Where some were seen, one more of them makes of t nearly what the exact limits of rare events are: see
  // Fay and Feuer (1997) for it, and bench/coverage_bench for how often it holds.
  const auto by_mean = [&](const Stratum& stratum) { return added(stratum, stratum.sample.mean); };
  std::ranges::max_element(strata, {}, by_mean)->sample.add(highest);
  return clipped(std::max(mean + unseen, skewed_limit(strata, risk, degrees)));
}

double lower_limit(std::span<const Stratum> strata, const TotalRange& range, double risk) {
  std::vector<Stratum> mirrored;
  mirrored.reserve(strata.size());
  for (const auto& [weight, sample] : strata) mirrored.push_back({weight, negated(sample)});
  return -upper_limit(mirrored, {-range.highest, -range.lowest, range.event}, risk);
}

}  // namespace c2rl
