#include "c2rl/solve/verify.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

const Matrix kPoints{{8, 10, 12}, {4, 1, 0}};

Claim claim_for(const SetPtr& target) {
  const auto solver = make_solver("corrective-mnp", target, {.tolerance = 1e-9});
  PointOracle oracle(kPoints);
  oracle.run(*solver);
  Claim claim;
  claim.status = solver->status();
  claim.points = kPoints;
  claim.weights = Vector::Zero(kPoints.cols());
  for (int i = 0; i < solver->mixture().size(); ++i) {
    claim.weights[oracle.column(solver->mixture().ids[i])] = solver->mixture().weights[i];
  }
  claim.measurement = solver->mixture().point;
  claim.distance = solver->distance();
  claim.distance_lower_bound = solver->certificate().bound;
  claim.certificate = solver->certificate();
  claim.tolerance = 1e-9;
  return claim;
}

TEST(Verify, TrueResultsPass) {
  for (const SetPtr& target :
       {box(Vector{{0, 0}}, Vector{{11, 0.5}}), box(Vector{{-9, -9}}, Vector{{9, 0.5}}),
        ball(Vector{{3, 0}}, 1), halfspace(Vector{{1, 1}}, 5)}) {
    EXPECT_EQ(verify(claim_for(target), *target), std::vector<std::string>());
  }
}

// The points may be wrong by the slack: the bound is lower by as much.
TEST(Verify, EstimatesPassWithTheirSlack) {
  const SetPtr target = box(Vector{{-9, -9}}, Vector{{9, 0.5}});
  Claim claim = claim_for(target);
  claim.certificate.slack = 0.2;
  claim.certificate.achievable_at -= 0.2;
  claim.certificate.bound -= 0.2;
  claim.distance_lower_bound -= 0.2;
  EXPECT_EQ(verify(claim, *target), std::vector<std::string>());
}

// A bound may give way to rounding, or to the distance of a mixture that was found.
TEST(Verify, LessThanIsShownMayBeClaimed) {
  const SetPtr target = box(Vector{{-9, -9}}, Vector{{9, 0.5}});
  Claim claim = claim_for(target);
  claim.certificate.bound = claim.distance_lower_bound = 0.9 * claim.distance_lower_bound;
  EXPECT_EQ(verify(claim, *target), std::vector<std::string>());
}

// Three times as steep as the target's corner allows: the certificate's own arithmetic is right, and proves nothing.
TEST(Verify, ADirectionThatIsNoNormalIsFound) {
  const SetPtr target = polyhedron(Matrix{{1, 1}, {1, -1}}, Vector::Constant(2, -kInfinity), Vector{{5, 5}});
  Claim claim = claim_for(target);
  ASSERT_EQ(verify(claim, *target), std::vector<std::string>());
  Certificate& certificate = claim.certificate;
  certificate.direction = Vector{{1, 3}}.normalized();
  certificate.target_point = Vector{{5, 0}};
  certificate.achievable_at = (certificate.direction.transpose() * kPoints).minCoeff();
  certificate.target_at = certificate.direction.dot(certificate.target_point);
  certificate.bound = claim.distance_lower_bound =
      std::min(claim.distance, certificate.achievable_at - certificate.target_at);
  ASSERT_GT(certificate.bound, 0);
  EXPECT_NE(verify(claim, *target), std::vector<std::string>());
}

TEST(Verify, EveryFalseClaimIsFound) {
  const SetPtr target = box(Vector{{-9, -9}}, Vector{{9, 0.5}});  // infeasible
  const Claim truth = claim_for(target);
  const std::vector<std::pair<std::function<void(Claim&)>, std::string>> lies = {
      {[](Claim& c) { c.weights *= 1.01; }, "the weights sum to"},
      {[](Claim& c) { c.weights[0] -= 0.5, c.weights[2] += 0.5; }, "a weight is negative"},
      {[](Claim& c) { c.measurement[0] -= 0.01; }, "measurement is off"},
      {[](Claim& c) { c.distance *= 0.99; }, "the distance is"},
      {[](Claim& c) { c.status = Status::feasible; }, "called feasible"},
      {[](Claim& c) { c.distance_lower_bound *= 1.001; }, "exceeds the distance"},
      {[](Claim& c) { c.distance_lower_bound *= 0.999; }, "the certificate shows a bound"},
      {[](Claim& c) { c.certificate.bound *= 0.999; }, "the certificate shows a bound"},
      {[](Claim& c) { c.certificate.target_at -= 0.01; }, "the certificate's two values"},
      {[](Claim& c) {
         c.certificate.direction = Vector{{1, 0}};
       },
       "the certificate shows a bound"},
      {[](Claim& c) { c.certificate.direction *= 2; }, "not of length 1"},
      {[](Claim& c) {
         c.certificate.target_point = Vector{{0, 0}};
       },
       "not the farthest"},
      {[](Claim& c) {
         c.points.col(1) = Vector{{9, 0}};
       },
       "the certificate shows a bound"},
      {[](Claim& c) { c.certificate.direction.resize(0); }, "without a positive bound"},
      {[](Claim& c) { c.certificate.slack = 0.1; }, "the certificate shows a bound"},
      {[](Claim& c) { c.certificate.slack = -0.1; }, "slack is negative"},
      {[](Claim& c) { c.points = Matrix(2, 0); }, "there are no points"},
      {[](Claim& c) { c.weights = Vector{{1}}; }, "the weights: 1 numbers, expected 3"},
      {[](Claim& c) { c.measurement.resize(0); }, "the measurement: 0 numbers, expected 2"},
      {[](Claim& c) { c.certificate.target_point.resize(0); }, "point of the target: 0 numbers, expected 2"},
  };
  for (const auto& [lie, expected] : lies) {
    Claim claim = truth;
    lie(claim);
    std::string found;
    for (const std::string& fault : verify(claim, *target)) found += fault + "\n";
    EXPECT_NE(found.find(expected), std::string::npos) << "expected '" << expected << "' among:\n" << found;
  }
}

}  // namespace
}  // namespace c2rl
