// Solvers and oracles together on random models, against the occupancy program: the same optimum, found by
// mixing policies and found by one quadratic program that knows no policies.

#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/flatten.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/solve/solver_kinds.h"
#include "garnet_problems.h"
#include "occupancy_program.h"

namespace c2rl {

void PrintTo(const Garnet& garnet, std::ostream* out) {
  *out << garnet.name();
}

namespace {

/// The two sides agree on the distance to this much.
constexpr double kAgreement = 1e-6;
/// What each side's own numbers are good to: the reference's bracket, and the sums behind a certificate.
constexpr double kExact = 1e-9;
/// The solvers' tolerance. Well below kAgreement, and above the rounding of measurements of some tens.
constexpr double kTolerance = 1e-8;
/// Nothing here takes more than some hundred calls of the corrective method.
constexpr int kMaxCalls = 2000;

/// A finished solve, and the policy that answered each call.
struct Solve {
  std::unique_ptr<Solver> solver;
  std::vector<PolicyPtr> answered;

  MixedPolicy mixed() const {
    const Mixture& mixture = solver->mixture();
    std::vector<PolicyPtr> members;
    members.reserve(mixture.ids.size());
    for (const int id : mixture.ids) members.push_back(answered[id - 1]);
    return {mixture.weights, members};
  }
};

Solve solve(const std::string& kind, Oracle& oracle, const LinearTarget& target) {
  const SolverOptions options{.tolerance = kTolerance, .max_oracle_calls = kMaxCalls};
  Solve result{make_solver(kind, set_of(target), options), {}};
  while (const auto direction = result.solver->ask()) {
    const OracleAnswer answer = oracle.minimize(*direction, Rng(0));
    EXPECT_TRUE(answer.exact);
    result.answered.push_back(answer.policy);
    result.solver->tell({answer.measurement, answer.slack, Grade::proof});
  }
  return result;
}

/// The reference, after checking that it knows its own optimum from both sides.
NearestOccupancy reference(const TabularModel& model, const LinearTarget& target) {
  NearestOccupancy result = nearest_occupancy(model, target);
  EXPECT_NEAR(result.lower_bound, result.distance, kExact);
  return result;
}

/// What a certificate says of the model, of the target and of the distance, each recomputed.
void expect_valid(const Certificate& certificate, const TabularModel& model, const LinearTarget& target,
                  double optimum) {
  EXPECT_LE(certificate.bound, optimum + kExact);
  if (certificate.bound == 0) return;
  EXPECT_EQ(certificate.grade, Grade::proof);
  EXPECT_NEAR(certificate.direction.norm(), 1, 1e-12);
  EXPECT_LE(certificate.achievable_at, least_value(model, certificate.direction) + kExact);
  const Vector inside = target.a * certificate.target_point;
  EXPECT_GE((inside - target.lower).minCoeff(), -kExact);
  EXPECT_LE((inside - target.upper).maxCoeff(), kExact);
  EXPECT_NEAR(certificate.direction.dot(certificate.target_point), certificate.target_at, kExact);
  EXPECT_NEAR(certificate.achievable_at - certificate.target_at, certificate.bound, kExact);
}

struct Shape {
  std::string name;
  RandomTarget draw;
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.name;
}

class Occupancy : public testing::TestWithParam<std::tuple<Garnet, Shape>> {
 protected:
  Occupancy()
      : garnet_(std::get<0>(GetParam())),
        shape_(std::get<1>(GetParam())),
        model_(garnet_.model()),
        oracle_(model_),
        rng_(Rng(garnet_.seed).fork(shape_.name)),
        marks_(*model_, oracle_, rng_.fork("landmarks")) {}

  /// Near the boundary of what is achievable, and narrow, so that it takes a mixture to be there.
  LinearTarget feasible() {
    return shape_.draw(marks_.at(0.8), marks_.direction, 0.1 * marks_.depth(), rng_);
  }
  LinearTarget infeasible() {
    return shape_.draw(marks_.at(1.5), marks_.direction, 0.25 * marks_.depth(), rng_);
  }

  /// The corrective method's distance and certificate are the reference's.
  Status expect_agreement(const LinearTarget& target, const NearestOccupancy& expected) {
    const Solve found = solve("corrective-mnp", oracle_, target);
    EXPECT_NEAR(found.solver->distance(), expected.distance, kAgreement);
    EXPECT_LE(found.solver->mixture().size(), model_->dim() + 1);
    EXPECT_NEAR(found.solver->certificate().bound, expected.distance, kAgreement);
    expect_valid(found.solver->certificate(), *model_, target, expected.distance);
    return found.solver->status();
  }

  const Garnet garnet_;
  const Shape shape_;
  const std::shared_ptr<const TabularModel> model_;
  DynamicProgramming oracle_;
  Rng rng_;
  const Landmarks marks_;
};

TEST_P(Occupancy, FeasibleTarget) {
  const LinearTarget target = feasible();
  const NearestOccupancy expected = reference(*model_, target);
  EXPECT_LE(expected.distance, kExact);
  EXPECT_EQ(expect_agreement(target, expected), Status::feasible);
}

TEST_P(Occupancy, InfeasibleTargetAndOneThatTouches) {
  const LinearTarget apart = infeasible();
  const NearestOccupancy expected = reference(*model_, apart);
  EXPECT_GE(expected.distance, 0.1 * marks_.depth());
  EXPECT_EQ(expect_agreement(apart, expected), Status::infeasible);

  // Pushed by the shortest way it has to what is achievable, it touches that from outside.
  const LinearTarget touching = moved(apart, expected.point - expected.target_point);
  const NearestOccupancy touch = reference(*model_, touching);
  EXPECT_LE(touch.distance, kExact);
  const Status status = expect_agreement(touching, touch);
  EXPECT_TRUE(status == Status::feasible || status == Status::undecided) << to_string(status);
}

const auto kShapes = testing::Values(Shape{"Box", random_box}, Shape{"Polyhedron", random_polyhedron});

std::string test_name(const testing::TestParamInfo<std::tuple<Garnet, Shape>>& tested) {
  return std::get<1>(tested.param).name + std::get<0>(tested.param).name();
}

INSTANTIATE_TEST_SUITE_P(
    Discounted, Occupancy,
    testing::Combine(testing::Values(Garnet{10, 2, 1, 0, 0.9, 1}, Garnet{10, 2, 2, 0, 0.95, 2},
                                     Garnet{10, 8, 10, 0, 0.9, 3}, Garnet{20, 4, 3, 0, 0.95, 4},
                                     Garnet{20, 4, 3, 0, 0.99, 5}, Garnet{30, 3, 5, 0, 0.95, 6},
                                     Garnet{50, 6, 7, 0, 0.9, 7}, Garnet{50, 2, 4, 0, 0.95, 8},
                                     Garnet{100, 4, 6, 0, 0.95, 9}, Garnet{100, 8, 10, 0, 0.9, 10},
                                     Garnet{200, 3, 2, 0, 0.95, 11}, Garnet{500, 2, 5, 0, 0.9, 12},
                                     Garnet{500, 8, 3, 0, 0.95, 13}),
                     kShapes),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    FiniteHorizon, Occupancy,
    testing::Combine(testing::Values(Garnet{10, 2, 1, 20, 1, 1}, Garnet{10, 2, 2, 8, 0.9, 2},
                                     Garnet{10, 4, 3, 30, 1, 3}, Garnet{15, 8, 10, 10, 1, 4},
                                     Garnet{20, 3, 5, 10, 0.95, 5}, Garnet{50, 3, 4, 6, 1, 6},
                                     Garnet{100, 2, 8, 5, 1, 7}, Garnet{500, 4, 3, 4, 1, 8}),
                     kShapes),
    test_name);

/// The mixture found is a policy of the model, whichever way it is carried out.
class MixtureFound : public Occupancy {};

TEST_P(MixtureFound, FlattensToOnePolicyThatMeasuresTheSame) {
  const Solve found = solve("corrective-mnp", oracle_, feasible());
  ASSERT_EQ(found.solver->status(), Status::feasible);
  const MixedPolicy mixed = found.mixed();
  ASSERT_GE(mixed.size(), 2);
  const Vector& measurement = found.solver->mixture().point;
  EXPECT_LE((evaluate(*model_, mixed).measurement - measurement).lpNorm<Eigen::Infinity>(), kExact);
  const PolicyPtr flat = flatten(*model_, mixed);
  EXPECT_LE((evaluate(*model_, *flat).measurement - measurement).lpNorm<Eigen::Infinity>(), kExact);
}

TEST_P(MixtureFound, MeasuresInEpisodesWhatWasComputed) {
  constexpr int kEpisodes = 2000;
  static constexpr double kStandardErrors = 5;
  const auto expect_near = [](const Estimate& sampled, const Vector& computed) {
    const Vector off = (sampled.measurement - computed).cwiseAbs();
    EXPECT_GT(sampled.standard_error.minCoeff(), 0);
    EXPECT_LE(off.cwiseQuotient(sampled.standard_error).maxCoeff(), kStandardErrors);
  };
  const Solve found = solve("corrective-mnp", oracle_, feasible());
  const Mixture& mixture = found.solver->mixture();
  const MixedPolicy mixed = found.mixed();
  for (int i = 0; i < mixed.size(); ++i) {
    const Rng episodes = rng_.fork("episodes of a member", i);
    expect_near(estimate(make_world(model_), mixed.policy(i), kEpisodes, episodes), mixture.atoms.col(i));
  }
  expect_near(estimate(make_world(model_), mixed, kEpisodes, rng_.fork("episodes")), mixture.point);
}

INSTANTIATE_TEST_SUITE_P(
    Models, MixtureFound,
    testing::Combine(testing::Values(Garnet{20, 4, 3, 0, 0.9, 21}, Garnet{60, 5, 6, 0, 0.9, 22},
                                     Garnet{20, 4, 3, 12, 1, 23}, Garnet{40, 3, 5, 15, 0.95, 24}),
                     kShapes),
    test_name);

/// The paper's method may spend its calls before it arrives, but what it says by then is true.
class ModifiedMnp : public Occupancy {};

TEST_P(ModifiedMnp, IsNeverBetterThanTheOptimumNorItsCertificateBeyond) {
  for (const LinearTarget& target : {feasible(), infeasible()}) {
    const NearestOccupancy expected = reference(*model_, target);
    const Solve found = solve("modified-mnp", oracle_, target);
    EXPECT_GE(found.solver->distance(), expected.lower_bound - kExact);
    expect_valid(found.solver->certificate(), *model_, target, expected.distance);
    EXPECT_EQ(found.solver->certificate().bound > 0, expected.distance > kExact);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ModifiedMnp,
                         testing::Combine(testing::Values(Garnet{10, 2, 2, 0, 0.9, 31},
                                                          Garnet{20, 4, 4, 0, 0.95, 32},
                                                          Garnet{10, 3, 3, 10, 1, 33}),
                                          kShapes),
                         test_name);

}  // namespace
}  // namespace c2rl
