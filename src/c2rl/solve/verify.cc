#include "c2rl/solve/verify.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace c2rl {
namespace {

/// What a saved result may be off by, relative to the size of its numbers.
constexpr double kAgreement = 1e-9;
/// What the target's farthest point may move by when pushed, relative to the push. Where curved sets touch it is
/// only known to the root of rounding.
constexpr double kMoved = 1e-6;

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
  const double achievable_at = (direction.transpose() * claim.points).minCoeff() - certificate.slack;
  // The farthest point of the target along the direction stays where it is when pushed that way.
  const Vector& farthest = certificate.target_point;
  const double step = std::max(distance, claim.distance_lower_bound);
  const Outward pushed = target.outward(farthest + step * direction);
  const Vector moved = (pushed.vector - step * direction).cwiseAbs();
  const Vector numbers = largest + farthest.cwiseAbs();
  const double pushed_numbers = (pushed.gross.array() > 0).select(numbers, 0).matrix().norm();
  expect((moved.array() <= kMoved * step + 64 * kRounding * pushed_numbers).all(),
         fmt::format("the certificate's point of the target is not the farthest: it moves by {}",
                     moved.maxCoeff()));
  // Multipliers may say more of the target than is so, which is no lie.
  const double bound = achievable_at - std::max(certificate.target_at, direction.dot(farthest));
  const double length = std::max(pushed.vector.stableNorm(), kEpsilon * step);
  const double bound_agreement = kAgreement * std::abs(bound) + pushed.beyond / length +
                                 4 * kRounding * (pushed.gross / length + direction.cwiseAbs()).dot(numbers);
  // Less may be claimed, by what the distance of a mixture that was found lowered it to, or by what the
  // direction that was asked was off the target's normal (ApproPO's is, by rounding of its search).
  const double asked_off = kMoved * direction.cwiseAbs().dot(numbers);
  expect(claim.distance_lower_bound <= bound + bound_agreement &&
             claim.distance_lower_bound >= bound * (1 - kMoved) - bound_agreement - asked_off &&
             std::abs(certificate.bound - claim.distance_lower_bound) <= bound_agreement,
         fmt::format("the certificate shows a bound of {}, not {}", bound, claim.distance_lower_bound));
  expect(std::abs(achievable_at - certificate.achievable_at) <= bound_agreement &&
             certificate.target_at >= direction.dot(farthest) - bound_agreement,
         "the certificate's two values are not those of the points and the target");
  return faults;
}

}  // namespace c2rl
