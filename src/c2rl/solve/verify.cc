#include "c2rl/solve/verify.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace c2rl {
namespace {

/// What a saved result may be off by, relative to the size of its numbers.
constexpr double kAgreement = 1e-9;

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
  const double size = std::max(1.0, claim.points.lpNorm<Eigen::Infinity>());
  const double agreement = kAgreement * size;

  expect(claim.weights.minCoeff() >= 0, fmt::format("a weight is negative: {}", claim.weights.minCoeff()));
  expect(std::abs(claim.weights.sum() - 1) <= kAgreement,
         fmt::format("the weights sum to {}", claim.weights.sum()));
  expect((x - claim.measurement).norm() <= agreement,
         fmt::format("the mixture's measurement is off by {}", (x - claim.measurement).norm()));

  // The distance, from both sides: w is in the target, and no point of the target is nearer to x.
  const Vector w = target.project(x);
  expect(target.contains(w, agreement), "the projection on the target is not in the target");
  expect(std::abs((x - w).norm() - claim.distance) <= agreement,
         fmt::format("the distance is {}, not {}", (x - w).norm(), claim.distance));
  expect(
      claim.distance_lower_bound <= (x - w).norm() + agreement,
      fmt::format("the lower bound {} exceeds the distance {}", claim.distance_lower_bound, (x - w).norm()));

  if (claim.status == Status::feasible) {
    expect((x - w).norm() <= claim.tolerance + agreement,
           fmt::format("called feasible at distance {}", (x - w).norm()));
  }
  if (claim.status == Status::infeasible) {
    expect(certificate.direction.size() > 0 && claim.distance_lower_bound > 0,
           "called infeasible without a positive bound");
  }
  if (certificate.direction.size() == 0 || claim.distance_lower_bound == 0) return faults;

  const Vector& direction = certificate.direction;
  expect(std::abs(direction.norm() - 1) <= kAgreement, "the certificate's direction is not of length 1");
  expect(certificate.slack >= 0, fmt::format("the certificate's slack is negative: {}", certificate.slack));
  const double achievable_at = (direction.transpose() * claim.points).minCoeff() - certificate.slack;
  // The farthest point of the target along the direction stays where it is when pushed that way.
  const Vector& farthest = certificate.target_point;
  const double step = std::max(1.0, (x - w).norm());
  const double moved = (target.project(farthest + step * direction) - farthest).norm();
  expect(moved <= agreement,
         fmt::format("the certificate's point of the target is not the farthest: it moves by {}", moved));
  const double bound = achievable_at - direction.dot(farthest);
  expect(bound >= claim.distance_lower_bound - agreement,
         fmt::format("the certificate shows a bound of {}, not {}", bound, claim.distance_lower_bound));
  return faults;
}

}  // namespace c2rl
