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

using Sizes = std::function<double(std::size_t member)>;
using Limit = std::function<double(std::span<const Stratum>, const TotalRange&, double risk)>;

/// A limit for one demand, with each member's sample scaled to a size: a negative one leaves it as it is.
double limit_of(int demand, const Demands& demands, const std::vector<Member>& mixture, double risk,
                const Sizes& size, const Limit& limit, double sign) {
  double known = 0, drawn = 0;  // the part that was computed; the weight of the rest
  double estimated_error = 0;   // of what was estimated from data, the same data for all
  std::vector<Stratum> strata;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    const Member& member = mixture[i];
    if (!member.measured->sampled()) {
      const Vector& combination = demands[demand].combination;
      known += member.weight * combination.dot(member.measured->point);
      if (member.measured->computed) continue;
      const auto episodes = static_cast<double>(member.measured->episodes);
      const double scale = size(i) < 0 ? 1 : std::sqrt(episodes / size(i));
      // Errors from the same data may all point the same way, of members as of measurements.
      estimated_error += member.weight * scale * combination.cwiseAbs().dot(member.measured->standard_error);
      continue;
    }
    const ScalarSample& sample = member.measured->demand(demand);
    strata.push_back({member.weight, size(i) < 0 ? sample : sample.scaled_to(size(i))});
    drawn += member.weight;
  }
  if (estimated_error > 0) known += sign * normal_quantile(1 - risk) * estimated_error;
  if (strata.empty()) return known;
  for (Stratum& stratum : strata) stratum.weight /= drawn;
  return known + drawn * limit(strata, demands[demand].range, risk);
}

Vector limits(const Demands& demands, const std::vector<Member>& mixture, double risk, const Sizes& size,
              const Limit& limit, double sign) {
  Vector result(demands.size());
  for (int i = 0; i < demands.size(); ++i)
    result[i] = limit_of(i, demands, mixture, risk / demands.size(), size, limit, sign);
  return result;
}

const Sizes kAsTheyAre = [](std::size_t) { return -1.0; };

Vector means(const Demands& demands, const std::vector<Member>& mixture) {
  Vector result = Vector::Zero(demands.size());
  for (const Member& member : mixture) result += member.weight * demands.at(member.measured->point);
  return result;
}

}  // namespace

Vector upper_limits(const Demands& demands, const std::vector<Member>& mixture, double risk) {
  return limits(demands, mixture, risk, kAsTheyAre, upper_limit, 1);
}

Vector lower_limits(const Demands& demands, const std::vector<Member>& mixture, double risk) {
  return limits(demands, mixture, risk, kAsTheyAre, lower_limit, -1);
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
    if (!mixture[i].measured->sampled()) continue;
    const auto at = static_cast<Eigen::Index>(i);
    often[at] = mixture[i].weight *
                (demands.size() > 0 ? std::sqrt(mixture[i].measured->demand(nearest).variance()) : 0);
    rarely[at] = std::sqrt(mixture[i].weight);
  }
  if (often.sum() > 0) often /= often.sum();
  if (rarely.sum() > 0) rarely /= rarely.sum();
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const double part = (often[at] + rarely[at]) / 2;
    const bool sampled = mixture[i].measured->sampled();
    const double own = sampled ? std::max(kFewest, std::ceil(part * count)) : std::ceil(count);
    counts.push_back(mixture[i].measured->computed ? 0 : static_cast<std::int64_t>(own));
  }
  return counts;
}

Vector expected_half_widths(const Demands& demands, const std::vector<Member>& mixture,
                            const std::vector<std::int64_t>& counts, double risk) {
  const Sizes size = [&](std::size_t i) { return static_cast<double>(counts[i]); };
  return (limits(demands, mixture, risk, size, upper_limit, 1) - means(demands, mixture)).cwiseMax(0.0);
}

std::optional<double> episodes_to_confirm(const Demands& demands, const std::vector<Member>& mixture,
                                          double risk) {
  const Vector mean = means(demands, mixture);
  const auto confirms = [&](double count) {
    const std::vector<std::int64_t> counts = share_out(demands, mixture, count);
    return demands.met(mean + expected_half_widths(demands, mixture, counts, risk));
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
