#include "c2rl/run/verify_bounds.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/run/least_value.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

/// What a number may be off by that was computed in another order, relative to the size of what it is made of.
constexpr double kAgreement = 1e-9;
/// What a bound or an optimum may be off by that was found another way.
constexpr double kFoundAnew = 1e-6;

/// The largest direction.z in the target: where a push along the direction from any of its points ends up, if it is
/// long enough; at least what the certificate says.
double target_at(const ConvexSet& target, const Certificate& certificate) {
  constexpr double kLongest = 1e6;
  const double scale = 1 + certificate.target_point.norm();
  double at = certificate.target_at;
  for (double step = scale; step <= kLongest * scale; step *= 10) {
    const Vector pushed = certificate.target_point + step * certificate.direction;
    at = std::max(at, certificate.direction.dot(target.project(pushed)));
  }
  return at;
}

}  // namespace

std::optional<Checked> check_bound(const Problem& problem, const Result& result) {
  const char* const subject = "certificate";
  const Certificate& certificate = result.certificate;
  const bool must_hold = result.status == Status::infeasible || certificate.grade == Grade::proof;
  if (certificate.direction.size() == 0 || certificate.bound <= 0) {
    if (result.status != Status::infeasible) return std::nullopt;
    return Checked{subject, Standing::failed, "called infeasible without a positive bound"};
  }
  if (certificate.direction.size() != problem.world.dim() ||
      certificate.target_point.size() != problem.world.dim() ||
      std::abs(certificate.direction.norm() - 1) > kAgreement) {
    return Checked{subject, Standing::failed, "its direction is not one of length 1 over the measurements"};
  }
  const std::string claimed = format_number(certificate.bound);
  if (!problem.world.model) {
    if (must_hold)
      return Checked{subject, Standing::failed, "nothing here can prove that no policy is better"};
    return Checked{
        subject, Standing::evidence,
        fmt::format("nothing is nearer than {}, if the oracle's answers are the best there are", claimed)};
  }
  const double farthest = target_at(*problem.target.set, certificate);
  const double least = least_value(*problem.world.model, certificate.direction).at_start;
  const double bound = std::max(0.0, least - farthest);
  const double rounding = kFoundAnew * bound + kAgreement * (std::abs(least) + std::abs(farthest));
  if (certificate.bound <= bound + rounding) {
    return Checked{
        subject, Standing::proven,
        fmt::format("planned anew: along its direction no policy is below {}, nothing in the target "
                    "above {}; nothing is nearer than {}",
                    format_number(least), format_number(farthest), format_number(bound))};
  }
  return Checked{
      subject, must_hold ? Standing::failed : Standing::evidence,
      fmt::format("a bound of {} on the distance is {}; planned anew it is {}", claimed,
                  must_hold ? "claimed" : "what the oracle's answers suggest", format_number(bound))};
}

Checked check_optimum(const Problem& problem, const Result& result) {
  const char* const subject = "optimum";
  const ObjectiveOptimum& optimum = *result.optimum;
  const Standing otherwise = optimum.grade == Grade::proof ? Standing::failed : Standing::evidence;
  if (!problem.world.model) {
    return {subject, otherwise,
            fmt::format("{} = {}; the bound {} rests on the oracle's answers", optimum.name,
                        format_number(optimum.value), format_number(optimum.bound))};
  }
  Problem exact = problem;
  for (const OracleKind* kind : oracle_kinds().all()) {
    if (kind->exact && kind->needs_model) exact.oracle_kind = kind;
  }
  exact.oracle = std::make_shared<const DynamicProgramming>(problem.world.model);
  SolveListener silent;
  const Result again = solve(exact, nullptr, silent);
  if (!again.optimum) return {subject, otherwise, "planned anew, nothing inside the target was found"};
  const double sign = optimum.sense == Sense::maximize ? 1 : -1;
  const double size = std::abs(again.optimum->value) + std::abs(optimum.value);
  const bool bounds =
      sign * (again.optimum->value - optimum.bound) <= kFoundAnew * size + 2 * result.tolerance;
  return {subject, bounds ? Standing::proven : otherwise,
          fmt::format("{} = {}, of at best {}; planned anew, the best is {}", optimum.name,
                      format_number(optimum.value), format_number(optimum.bound),
                      format_number(again.optimum->value))};
}

}  // namespace c2rl
