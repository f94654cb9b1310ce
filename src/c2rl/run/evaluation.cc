#include "c2rl/run/evaluation.h"

#include <cmath>
#include <numbers>

#include "c2rl/base/error.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// Up to this many measurements, the corners of a box can be tried one by one.
constexpr int kMostCorners = 16;
/// Nobody runs more episodes than this.
constexpr double kMostEpisodes = 1e12;

/// A box lies in a convex set when its corners do.
bool lies_inside(const ConvexSet& target, const Vector& center, const Vector& half_width, double tolerance) {
  std::vector<int> wide;
  for (int i = 0; i < center.size(); ++i) {
    if (half_width[i] > 0) wide.push_back(i);
  }
  if (static_cast<int>(wide.size()) > kMostCorners) {
    // Too many corners. Those of the box's cross-polytope hull, sum of all half-widths away along each axis,
    // contain them: stricter than needed, so that inside is still inside.
    const double reach = half_width.sum();
    for (const int i : wide) {
      for (const double sign : {-1.0, 1.0}) {
        if (!target.contains(center + sign * reach * Vector::Unit(center.size(), i), tolerance)) return false;
      }
    }
    return true;
  }
  for (unsigned corner = 0; corner < (1u << wide.size()); ++corner) {
    Vector x = center;
    for (size_t k = 0; k < wide.size(); ++k)
      x[wide[k]] += ((corner >> k) & 1u ? 1 : -1) * half_width[wide[k]];
    if (!target.contains(x, tolerance)) return false;
  }
  return true;
}

Verdict judge(const SetPtr& target, const Vector& center, const Vector& half_width, double tolerance) {
  if (lies_inside(*target, center, half_width, tolerance)) return Verdict::inside;
  // What counts as inside is `tolerance` wider than the target.
  const Vector wide = half_width.array() + tolerance;
  try {
    intersection({box(center - wide, center + wide), target});
  } catch (const EmptySetError&) {
    return Verdict::outside;
  }
  return Verdict::undecided;
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
  const double outside = (1 - confidence) / count;
  // Newton on erfc(z / sqrt 2) = outside, which is convex there: from the left it rises to the root.
  double z = 0;
  for (int i = 0; i < 100; ++i) {
    const double excess = std::erfc(z / std::numbers::sqrt2) - outside;
    const double slope = std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2);
    const double step = excess / slope;
    z += step;
    if (std::abs(step) < 1e-14) break;
  }
  return z;
}

RunEvaluation evaluate_run(const Problem& problem, const MixedPolicy& mixed, int episodes, const Rng& rng) {
  const int m = problem.world.dim();
  RunEvaluation result;
  result.measurement = Vector::Zero(m);
  Vector variance = Vector::Zero(m);
  for (int i = 0; i < mixed.size(); ++i) {
    result.members.push_back(estimate(problem.world, mixed.policy(i), episodes,
                                      rng.fork("member", static_cast<std::uint64_t>(i))));
    result.measurement += mixed.weights()[i] * result.members[i].measurement;
    variance.array() += (mixed.weights()[i] * result.members[i].standard_error.array()).square();
  }
  result.standard_error = variance.cwiseSqrt();
  result.confidence = kConfidence;
  result.half_width = simultaneous_quantile(kConfidence, m) * result.standard_error;

  const double tolerance = problem.solver.tolerance;
  const auto verdict_with = [&](double total) {
    return judge(problem.target.set, result.measurement, result.half_width * std::sqrt(episodes / total),
                 tolerance);
  };
  result.verdict = verdict_with(episodes);
  result.episodes_to_decide = episodes;
  if (result.verdict == Verdict::undecided) {
    double low = episodes, high = episodes;
    while (high < kMostEpisodes && verdict_with(high) == Verdict::undecided) {
      low = high;
      high *= 2;
    }
    if (verdict_with(high) == Verdict::undecided) {
      result.episodes_to_decide.reset();
    } else {
      while (high > 1.01 * low) {
        const double middle = std::sqrt(low * high);
        (verdict_with(middle) == Verdict::undecided ? low : high) = middle;
      }
      result.episodes_to_decide = std::ceil(high);
    }
  }
  return result;
}

MixedPolicy load_mixture(const RunDirectory& directory) {
  const Result result = directory.read_result();
  if (result.policies.empty()) throw InputError({.file = directory.path()}, "has no policy yet");
  Vector weights(static_cast<Eigen::Index>(result.policies.size()));
  std::vector<PolicyPtr> policies;
  for (size_t i = 0; i < result.policies.size(); ++i) {
    weights[static_cast<Eigen::Index>(i)] = result.policies[i].weight;
    policies.push_back(directory.load_policy(result.policies[i].file));
  }
  return {weights / weights.sum(), std::move(policies)};
}

}  // namespace c2rl
