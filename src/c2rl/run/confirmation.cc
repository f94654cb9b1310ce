#include "c2rl/run/confirmation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "c2rl/base/quantiles.h"

namespace c2rl {
namespace {

/// Fewer tell too little of the spread.
constexpr double kFewest = 50;
/// Nobody runs more episodes than this.
constexpr double kMostEpisodes = 1e15;

using Limit = std::function<double(std::span<const Stratum>, const TotalRange&, double risk)>;

/// A limit for one demand; from above for sign 1, from below for -1.
double limit_of(int demand, const Demands& demands, const std::vector<Member>& mixture, double risk,
                const std::vector<std::int64_t>& counts, const Limit& limit, double sign) {
  double known = 0, drawn = 0;  // the part that was computed; the weight of the rest
  double estimated_error = 0;   // of what was estimated from data, the same data for all
  std::vector<Stratum> strata;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    const Measured& measured = *mixture[i].measured;
    const double weight = mixture[i].weight;
    if (measured.sampled()) {
      const ScalarSample& sample = measured.demand(demand);
      strata.push_back({weight, counts.empty() ? sample : sample.scaled_to(static_cast<double>(counts[i]))});
      drawn += weight;
      continue;
    }
    const Vector& combination = demands[demand].combination;
    known += weight * combination.dot(measured.point);
    if (measured.computed) continue;
    // An oracle that does not say how many episodes its errors are of leaves open what more of them would do.
    const double scale =
        counts.empty() || measured.episodes == 0
            ? 1
            : std::sqrt(static_cast<double>(measured.episodes) / static_cast<double>(counts[i]));
    // Errors from the same data may all point the same way, of members as of measurements.
    estimated_error += weight * scale * combination.cwiseAbs().dot(measured.standard_error);
  }
  if (estimated_error > 0) known += sign * normal_quantile(1 - risk) * estimated_error;
  if (strata.empty()) return known;
  for (Stratum& stratum : strata) stratum.weight /= drawn;
  return known + drawn * limit(strata, demands[demand].range, risk);
}

Vector limits(const Demands& demands, const std::vector<Member>& mixture, const Vector& risks,
              const std::vector<std::int64_t>& counts, const Limit& limit, double sign) {
  Vector result(demands.size());
  for (int i = 0; i < demands.size(); ++i)
    result[i] = limit_of(i, demands, mixture, risks[i], counts, limit, sign);
  return result;
}

Vector in_equal_parts(const Demands& demands, double risk) {
  return Vector::Constant(demands.size(), risk / std::max(1, demands.size()));
}

/// Estimated from recorded episodes, which tell of all policies at once.
bool is_recorded(const Measured& measured) {
  return !measured.computed && !measured.sampled() && measured.episodes > 0;
}

/// Of a demand over episodes; up to a factor, where an oracle says no more than how large its error is.
double spread(const Measured& measured, const Demands& demands, int demand) {
  return measured.sampled() ? std::sqrt(measured.demand(demand).variance())
                            : measured.error_along(demands[demand].combination);
}

Vector means(const Demands& demands, const std::vector<Member>& mixture) {
  Vector result = Vector::Zero(demands.size());
  for (const Member& member : mixture) result += member.weight * demands.at(member.measured->point);
  return result;
}

}  // namespace

Vector upper_limits(const Demands& demands, const std::vector<Member>& mixture, const Vector& risks,
                    const std::vector<std::int64_t>& counts) {
  return limits(demands, mixture, risks, counts, upper_limit, 1);
}

Vector upper_limits(const Demands& demands, const std::vector<Member>& mixture, double risk,
                    const std::vector<std::int64_t>& counts) {
  return upper_limits(demands, mixture, in_equal_parts(demands, risk), counts);
}

Vector lower_limits(const Demands& demands, const std::vector<Member>& mixture, double risk,
                    const std::vector<std::int64_t>& counts) {
  return limits(demands, mixture, in_equal_parts(demands, risk), counts, lower_limit, -1);
}

Vector risks_of(const Demands& demands, const std::vector<Member>& mixture,
                const std::vector<std::int64_t>& counts, double risk) {
  constexpr double kHardlyAny = 0.01;
  const Vector little = kHardlyAny * in_equal_parts(demands, risk);
  const Vector half_widths = expected_half_widths(demands, mixture, counts, little);
  const Vector mean = means(demands, mixture);
  std::vector<int> close;
  for (int i = 0; i < demands.size(); ++i) {
    const bool is_far = demands[i].limit < kInfinity && mean[i] + 2 * half_widths[i] < demands[i].limit;
    if (!is_far) close.push_back(i);
  }
  if (close.empty()) return in_equal_parts(demands, risk);
  Vector risks = little;
  const double rest = risk - little.sum();
  for (const int i : close) risks[i] += rest / static_cast<double>(close.size());
  return risks;
}

std::vector<std::int64_t> share_out(const Demands& demands, const std::vector<Member>& mixture,
                                    double count) {
  // The demand that is nearest to its limit, in units of the mixture's own spread, decides.
  const Vector mean = means(demands, mixture);
  int nearest = 0;
  double least = kInfinity;
  for (int i = 0; i < demands.size(); ++i) {
    double variance = 0;
    for (const Member& member : mixture) {
      if (member.measured->sampled()) variance += member.weight * member.measured->demand(i).variance();
    }
    const double room = (demands[i].limit - mean[i]) / std::max(std::sqrt(variance), 1e-300);
    if (room < least) {
      least = room;
      nearest = i;
    }
  }
  Vector often = Vector::Zero(static_cast<Eigen::Index>(mixture.size())), rarely = often;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    if (mixture[i].measured->computed || is_recorded(*mixture[i].measured)) continue;
    const auto at = static_cast<Eigen::Index>(i);
    often[at] = mixture[i].weight * (demands.size() > 0 ? spread(*mixture[i].measured, demands, nearest) : 0);
    rarely[at] = std::sqrt(mixture[i].weight);
  }
  if (often.sum() > 0) often /= often.sum();
  if (rarely.sum() > 0) rarely /= rarely.sum();
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const double part = (often[at] + rarely[at]) / 2;
    const double own =
        is_recorded(*mixture[i].measured) ? std::ceil(count) : std::max(kFewest, std::ceil(part * count));
    counts.push_back(mixture[i].measured->computed ? 0 : static_cast<std::int64_t>(own));
  }
  return counts;
}

Vector expected_half_widths(const Demands& demands, const std::vector<Member>& mixture,
                            const std::vector<std::int64_t>& counts, const Vector& risks) {
  return (upper_limits(demands, mixture, risks, counts) - means(demands, mixture)).cwiseMax(0.0);
}

std::optional<double> episodes_to_confirm(const Demands& demands, const std::vector<Member>& mixture,
                                          double risk) {
  const Vector mean = means(demands, mixture);
  const auto confirms = [&](double count) {
    const std::vector<std::int64_t> counts = share_out(demands, mixture, count);
    const Vector risks = risks_of(demands, mixture, counts, risk);
    return demands.met(mean + expected_half_widths(demands, mixture, counts, risks));
  };
  double low = 1, high = 1000;
  while (!confirms(high)) {
    low = high;
    high *= 2;
    if (high > kMostEpisodes) return std::nullopt;
  }
  while (high > 1.01 * low) {
    const double middle = std::sqrt(low * high);
    (confirms(middle) ? high : low) = middle;
  }
  return std::ceil(high);
}

double attempt_risk(double risk, int attempt) {
  // The sum of 1 / k^2 over all k is pi^2 / 6.
  return risk * 6 / (std::numbers::pi * std::numbers::pi * attempt * attempt);
}

}  // namespace c2rl
