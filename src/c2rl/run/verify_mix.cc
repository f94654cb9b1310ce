#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/run/measured_points.h"
#include "c2rl/run/mix.h"
#include "c2rl/solve/verify.h"

namespace c2rl {
namespace {

/// What a saved number may be off by, relative to the size of what it was computed from.
constexpr double kAgreement = 1e-9;

Claim claim_of(const Result& result, const Points& points, std::vector<std::string>& faults) {
  Claim claim;
  claim.status = result.status;
  claim.points = points.values;
  claim.weights = Vector::Zero(points.values.cols());
  claim.measurement = result.measurement;
  claim.distance = result.distance;
  claim.distance_lower_bound = result.certificate.bound;
  claim.certificate = result.certificate;
  claim.tolerance = result.tolerance;
  for (const ResultPolicy& policy : result.policies) {
    const auto found = std::find(points.ids.begin(), points.ids.end(), policy.id);
    if (found == points.ids.end()) {
      faults.push_back(fmt::format("there is no policy '{}' among the points", policy.id));
      continue;
    }
    const auto column = found - points.ids.begin();
    claim.weights[column] += policy.weight;
    if (policy.measurement != points.values.col(column))
      faults.push_back(fmt::format("policy '{}' measures something else among the points", policy.id));
    if (policy.standard_error != points.standard_errors.col(column))
      faults.push_back(fmt::format("policy '{}' has other standard errors among the points", policy.id));
  }
  return claim;
}

/// What rests on the region that holds all points with the claim's confidence.
void check_region(const Region& region, const Target& target, const Claim& claim,
                  std::vector<std::string>& faults) {
  if (claim.status == Status::feasible || claim.status == Status::optimal) {
    const SafeProblem safe = safe_problem(region, target, std::nullopt);
    const Vector sizes = safe.points.cwiseAbs() * claim.weights;
    const double excess = safe.set->excess(safe.points * claim.weights, 2 * sizes);
    if (!(excess <= claim.tolerance * (1 + kAgreement)))
      faults.push_back(fmt::format("the region of confidence reaches {} outside", excess));
  }
  const Certificate& certificate = claim.certificate;
  if (certificate.direction.size() == 0) return;
  const double least = lowest(region, certificate.direction);
  const double size = certificate.direction.cwiseAbs().dot(
      Vector((region.points.cwiseAbs() + region.half_widths).rowwise().maxCoeff()));
  if (!(certificate.achievable_at <= least + kAgreement * size))
    faults.push_back("the certificate's slack is less than the standard errors ask for");
}

/// What the result says was made large or small; nothing, and a fault, where that is no expression over the
/// points' measurements.
std::optional<Objective> objective_of(const Points& points, const Result& result,
                                      std::vector<std::string>& faults) {
  if (!result.optimum) return std::nullopt;
  try {
    return Objective{.expression = parse_linear(result.optimum->name, points.names),
                     .sense = result.optimum->sense};
  } catch (const InputError& error) {
    faults.push_back(fmt::format("the objective cannot be read: {}", error.what()));
    return std::nullopt;
  }
}

/// The best value, found anew.
void check_optimum(const Points& points, const Target& target, const Objective& objective,
                   const Result& result, std::vector<std::string>& faults) {
  const ObjectiveOptimum& claimed = *result.optimum;
  const LinearExpression& expression = objective.expression;
  const Vector coefficients = expression.coefficients;
  const double size = coefficients.cwiseAbs().dot(Vector(points.values.cwiseAbs().rowwise().maxCoeff())) +
                      std::abs(expression.constant);
  const double agreement = kAgreement * size;
  const double value = coefficients.dot(result.measurement) + expression.constant;
  if (!(std::abs(claimed.value - value) <= agreement) && result.solver != "lagrangian")
    faults.push_back(fmt::format("the mixture has {} = {}, not {}", claimed.name, value, claimed.value));
  const Result again = mix(points, target, solver_kinds().standard().name,
                           {.tolerance = result.tolerance, .max_oracle_calls = 100000}, objective);
  if (!again.optimum) return;
  const double slack =
      std::max(agreement, 1e-6 * size) + result.tolerance * std::max(1.0, coefficients.stableNorm());
  const double sign = claimed.sense == Sense::maximize ? 1 : -1;
  const double best = std::max(sign * again.optimum->value, sign * claimed.value);
  if (!(sign * claimed.bound >= best - slack)) {
    faults.push_back(
        fmt::format("{} can be {}, which is beyond the bound {}", claimed.name, sign * best, claimed.bound));
  }
}

}  // namespace

std::vector<std::string> verify_mix(const Points& points, const Result& result) {
  if (points.names != result.names) {
    return {fmt::format("the result is about {}, the points about {}", join(result.names, ", "),
                        join(points.names, ", "))};
  }
  std::vector<std::string> faults;
  const Claim claim = claim_of(result, points, faults);
  std::vector<Constraint> constraints;
  constraints.reserve(result.constraints.size());
  for (const std::string& text : result.constraints)
    constraints.push_back(parse_constraint(text, points.names));
  const Target target = make_target(points.names, constraints);
  for (const std::string& fault : verify(claim, *target.set)) faults.push_back(fault);
  const double error = std::max(0.0, error_above(result.distance, result.certificate.bound));
  if (!(std::abs(error - result.error) <= kAgreement * error))
    faults.push_back(fmt::format("the error is {}, not {}", error, result.error));

  const std::optional<Objective> objective = objective_of(points, result, faults);
  std::optional<Vector> uphill;
  if (objective) uphill = objective->uphill();
  const bool is_level = result.claim.level > 0 && result.claim.level < 1;
  const auto region = region_of(points, target, uphill, is_level ? result.claim.level : 0.5);
  if (region && (result.claim.proven || !is_level)) {
    faults.push_back("points with standard errors prove nothing");
  } else if (region && claim.weights.size() == points.values.cols()) {
    check_region(*region, target, claim, faults);
  } else if (!region && !result.claim.proven) {
    faults.push_back("the points have no standard errors that the confidence could be about");
  }
  if (objective) check_optimum(points, target, *objective, result, faults);
  return faults;
}

}  // namespace c2rl
