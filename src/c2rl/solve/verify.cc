#include "c2rl/solve/verify.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace c2rl {
namespace {

/// What a saved result may be off by, relative to the size of its numbers.
constexpr double kAgreement = 1e-9;
/// How far the certificate's direction may be off the target's normal, and its point from the farthest, relative to
/// the numbers there. Where curved sets touch, both are only known to the root of rounding.
constexpr double kTilt = 1e-6;
/// Pushes along the certificate's direction are tried from its length up to that of the numbers, growing by this.
constexpr double kStepGrowth = 100;

/// What a push from the certificate's point of the target along its direction comes back with: a normal to the
/// target, which bounds the distance whatever the certificate says.
struct Shown {
  double bound = -kInfinity;
  double rounding = 0;      // what the bound is good to
  double tilt = kInfinity;  // of the normal off the certificate's direction
  double farther = 0;       // along the direction than the certificate's point, where the normal is one
};

Shown show(const Claim& claim, const ConvexSet& target, double step) {
  const Vector& direction = claim.certificate.direction;
  const Vector from = claim.certificate.target_point + step * direction;
  const Outward outward = target.outward(from);
  const double length = outward.vector.stableNorm();
  if (length == 0) return {};
  const Vector normal = outward.vector / length, at = from - outward.vector;
  const Vector numbers = claim.points.cwiseAbs().rowwise().maxCoeff() + at.cwiseAbs() + from.cwiseAbs();
  Shown shown;
  shown.bound = (normal.transpose() * (claim.points.colwise() - at)).minCoeff() - claim.certificate.slack -
                outward.beyond / length;
  shown.rounding = kRounding * (outward.gross / length).dot(numbers);
  shown.tilt = (normal - direction).norm();
  shown.farther = direction.dot(at - claim.certificate.target_point);
  return shown;
}

}  // namespace

std::vector<std::string> verify(const Claim& claim, const ConvexSet& target) {
  std::vector<std::string> faults;
  const auto expect = [&](bool holds, const std::string& fault) {
    if (!holds) faults.push_back(fault);
  };
  const auto expect_size = [&](const char* what, Eigen::Index found, Eigen::Index expected) {
    expect(found == expected, fmt::format("{}: {} numbers, expected {}", what, found, expected));
  };
  const Certificate& certificate = claim.certificate;
  expect(claim.points.cols() > 0, "there are no points");
  expect_size("a point", claim.points.rows(), target.dim());
  expect_size("the weights", claim.weights.size(), claim.points.cols());
  expect_size("the measurement", claim.measurement.size(), target.dim());
  if (certificate.direction.size() > 0) {
    expect_size("the certificate's direction", certificate.direction.size(), target.dim());
    expect_size("the certificate's point of the target", certificate.target_point.size(), target.dim());
  }
  if (!faults.empty()) return faults;  // the rest is about numbers that belong together

  const Vector x = claim.points * claim.weights;
  const Vector sizes = claim.points.cwiseAbs() * claim.weights.cwiseAbs();
  const Vector largest = claim.points.cwiseAbs().rowwise().maxCoeff();

  expect(claim.weights.minCoeff() >= 0, fmt::format("a weight is negative: {}", claim.weights.minCoeff()));
  expect(std::abs(claim.weights.sum() - 1) <= kAgreement,
         fmt::format("the weights sum to {}", claim.weights.sum()));
  const Vector off = (x - claim.measurement).cwiseAbs();
  expect((off.array() <= kAgreement * sizes.array()).all(),
         fmt::format("the mixture's measurement is off by {}", off.maxCoeff()));

  const Vector vector = target.outward(x).vector, w = x - vector;
  const double distance = vector.stableNorm();
  const double agreement = kAgreement * distance +
                           4 * kRounding * (sizes + w.cwiseAbs()).cwiseProduct(target.constrained()).norm();
  expect(std::abs(distance - claim.distance) <= agreement,
         fmt::format("the distance is {}, not {}", distance, claim.distance));
  expect(claim.distance_lower_bound <= distance + agreement,
         fmt::format("the lower bound {} exceeds the distance {}", claim.distance_lower_bound, distance));

  if (claim.status == Status::feasible || claim.status == Status::optimal) {
    // The claim's own rule; adding up in another order costs a rounding more.
    expect(target.excess(x, 2 * sizes) <= claim.tolerance * (1 + kAgreement),
           fmt::format("called {} at distance {}", to_string(claim.status), distance));
  }
  if (claim.status == Status::infeasible) {
    expect(certificate.direction.size() > 0 && claim.distance_lower_bound > 0,
           "called infeasible without a positive bound");
  }
  if (certificate.direction.size() == 0 || claim.distance_lower_bound == 0) return faults;

  const Vector& direction = certificate.direction;
  expect(std::abs(direction.stableNorm() - 1) <= kAgreement,
         "the certificate's direction is not of length 1");
  expect(certificate.slack >= 0, fmt::format("the certificate's slack is negative: {}", certificate.slack));
  const Vector& farthest = certificate.target_point;
  const double achievable_at = (direction.transpose() * claim.points).minCoeff() - certificate.slack;
  const Vector numbers = largest + farthest.cwiseAbs();
  const double size = direction.cwiseAbs().dot(numbers);

  // Each push shows a bound by itself; which shows most of it depends on how the target bends and how large its
  // numbers are. One of them must come straight back.
  const double farthest_step = numbers.cwiseProduct(target.constrained()).norm();
  Shown shown, straight;
  for (double step = std::max(distance, claim.distance_lower_bound);; step *= kStepGrowth) {
    const Shown next = show(claim, target, step);
    if (next.bound - next.rounding > shown.bound - shown.rounding) shown = next;
    if (next.tilt < straight.tilt) straight = next;
    if (!(step < farthest_step)) break;
  }
  const double agreed = kAgreement * std::abs(shown.bound) + shown.rounding;
  expect(straight.tilt <= kTilt && straight.farther <= kTilt * size,
         fmt::format("the certificate's point of the target is not the farthest: another is by {}, and the "
                     "target's normal there is {} off",
                     straight.farther, straight.tilt));
  // Less may be claimed: a mixture that was found, or rounding that was allowed for, lowers a bound.
  expect(claim.distance_lower_bound <= shown.bound + agreed &&
             std::abs(certificate.bound - claim.distance_lower_bound) <= agreed,
         fmt::format("the certificate shows a bound of {}, not {}", shown.bound, claim.distance_lower_bound));
  const double rounding = 4 * kRounding * size + kAgreement * std::abs(certificate.bound);
  expect(std::abs(achievable_at - certificate.achievable_at) <= rounding &&
             certificate.target_at >= direction.dot(farthest) - rounding &&
             certificate.bound <= certificate.achievable_at - certificate.target_at + rounding,
         "the certificate's two values are not those of the points and the target");
  return faults;
}

}  // namespace c2rl
