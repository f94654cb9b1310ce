#include "c2rl/run/evaluation.h"

#include <cmath>

#include "c2rl/base/error.h"
#include "c2rl/base/quantiles.h"
#include "c2rl/run/confirmation.h"
#include "c2rl/run/demands.h"
#include "c2rl/run/fresh_episodes.h"

namespace c2rl {
namespace {

/// Nobody runs more episodes than this.
constexpr double kMostEpisodes = 1e12;

Measured measure(const Problem& problem, const Policy& policy, int episodes, const Rng& rng,
                 const Demands& demands) {
  Measured found;
  const bool computed = problem.world.deterministic && policy.is_deterministic();
  found.add(fresh_episodes(problem, policy, 0, computed ? 1 : episodes, rng), demands);
  if (computed) {
    found.computed = true;
    found.standard_error.setZero();
  }
  return found;
}

Verdict judge(const Demands& demands, const std::vector<Member>& members, double risk,
              const std::vector<std::int64_t>& counts) {
  if (demands.met(upper_limits(demands, members, risk, counts))) return Verdict::inside;
  if (demands.broken(lower_limits(demands, members, risk, counts))) return Verdict::outside;
  return Verdict::undecided;
}

std::optional<double> episodes_to_decide(const Demands& demands, const std::vector<Member>& members,
                                         double risk, int episodes) {
  const auto decided = [&](double count) {
    const std::vector<std::int64_t> counts(members.size(), static_cast<std::int64_t>(count));
    return judge(demands, members, risk, counts) != Verdict::undecided;
  };
  double low = episodes, high = episodes;
  while (!decided(high)) {
    low = high;
    high *= 2;
    if (high > kMostEpisodes) return std::nullopt;
  }
  while (high > 1.01 * low) {
    const double middle = std::sqrt(low * high);
    (decided(middle) ? high : low) = middle;
  }
  return std::ceil(high);
}

/// The interval of each measurement, so that all hold at once.
void find_region(const World& world, const std::vector<Member>& members, double risk, RunEvaluation& result) {
  const int m = world.dim();
  result.lower = result.upper = result.measurement;
  for (int k = 0; k < m; ++k) {
    const TotalRange range = total_range(world, Vector::Unit(m, k));
    double computed = 0, drawn = 0;
    std::vector<Stratum> strata;
    for (const Member& member : members) {
      if (member.measured->computed) {
        computed += member.weight * member.measured->point[k];
      } else {
        strata.push_back({member.weight, member.measured->totals[static_cast<std::size_t>(k)]});
        drawn += member.weight;
      }
    }
    if (strata.empty()) continue;
    for (Stratum& stratum : strata) stratum.weight /= drawn;
    result.lower[k] = computed + drawn * lower_limit(strata, range, risk / (2 * m));
    result.upper[k] = computed + drawn * upper_limit(strata, range, risk / (2 * m));
    result.assumes_nothing_unseen |= !std::isfinite(range.lowest) || !std::isfinite(range.highest);
  }
}

}  // namespace

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::inside:
      return "inside";
    case Verdict::outside:
      return "outside";
    case Verdict::undecided:
      return "undecided";
  }
  return "";
}

double simultaneous_quantile(double confidence, int count) {
  return -normal_quantile((1 - confidence) / (2 * count));
}

RunEvaluation evaluate_run(const Problem& problem, const MixedPolicy& mixed, int episodes, const Rng& rng) {
  const int m = problem.world.dim();
  const Demands demands(problem.target, problem.world, problem.solver.tolerance);
  RunEvaluation result;
  result.members.reserve(static_cast<std::size_t>(mixed.size()));
  std::vector<Member> members;
  result.measurement = Vector::Zero(m);
  Vector variance = Vector::Zero(m);
  for (int i = 0; i < mixed.size(); ++i) {
    result.members.push_back(measure(problem, mixed.policy(i), episodes,
                                     rng.fork("member", static_cast<std::uint64_t>(i)), demands));
    const Measured& found = result.members.back();
    members.push_back({mixed.weights()[i], &found});
    result.measurement += mixed.weights()[i] * found.point;
    variance.array() += (mixed.weights()[i] * found.standard_error.array()).square();
  }
  result.standard_error = variance.cwiseSqrt();
  result.confidence = problem.confirmation.confidence;
  const double risk = 1 - result.confidence;
  find_region(problem.world, members, risk, result);
  result.verdict = judge(demands, members, risk, {});
  result.episodes_to_decide = episodes_to_decide(demands, members, risk, episodes);
  return result;
}

MixedPolicy load_mixture(const RunDirectory& directory, const World& world) {
  const Result result = directory.read_result();
  if (result.policies.empty()) throw InputError({.file = directory.path()}, "has no policy yet");
  Vector weights(static_cast<Eigen::Index>(result.policies.size()));
  std::vector<PolicyPtr> policies;
  policies.reserve(result.policies.size());
  for (size_t i = 0; i < result.policies.size(); ++i) {
    weights[static_cast<Eigen::Index>(i)] = result.policies[i].weight;
    policies.push_back(directory.load_policy(result.policies[i].file, world, result.policies[i].seal));
  }
  return {weights / weights.sum(), std::move(policies)};
}

}  // namespace c2rl
