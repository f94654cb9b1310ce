#include "c2rl/run/result.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "c2rl/geometry/sets.h"
#include "c2rl/run/evaluation.h"
#include "c2rl/run/mix.h"
#include "c2rl/run/result_json.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

/// Any double whatever, the ones that JSON does not know among them.
double any_number() {
  const int sort = *rc::gen::inRange(0, 8);
  if (sort == 0) return kInfinity;
  if (sort == 1) return -kInfinity;
  if (sort == 2) return std::nan("");
  return *rc::gen::arbitrary<double>();
}

Vector any_vector(int size) {
  Vector v(size);
  for (double& value : v) value = any_number();
  return v;
}

std::string any_text() {
  return *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'));
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}
bool same(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

Result any_result() {
  const int m = *rc::gen::inRange(1, 5);
  Result result;
  result.solver = any_text();
  result.tolerance = any_number();
  for (int i = 0; i < m; ++i) result.names.push_back(any_text());
  result.constraints = {any_text()};
  result.status = *rc::gen::element(Status::feasible, Status::optimal, Status::infeasible, Status::stuck,
                                    Status::undecided, Status::budget, Status::oracle_failed);
  if (*rc::gen::arbitrary<bool>()) {
    result.claim = {.proven = false, .level = any_number()};
    if (*rc::gen::arbitrary<bool>()) {
      result.claim.attempts = *rc::gen::inRange(1, 10);
      result.claim.episodes = *rc::gen::inRange<std::int64_t>(0, 1000);
      result.claim.limits = {{any_vector(m), any_number(), any_number()}};
      result.claim.assumes_nothing_unseen = *rc::gen::arbitrary<bool>();
    }
  }
  result.distance_error = any_number();
  result.measurement = any_vector(m);
  result.standard_error = any_vector(m);
  result.distance = any_number();
  result.error = any_number();
  if (*rc::gen::arbitrary<bool>()) {
    result.certificate = {.direction = any_vector(m),
                          .target_point = any_vector(m),
                          .bound = any_number(),
                          .achievable_at = any_number(),
                          .target_at = any_number(),
                          .slack = any_number(),
                          .grade = *rc::gen::element(Grade::proof, Grade::evidence)};
  }
  result.oracle_calls = *rc::gen::inRange(0, 1000);
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const auto episodes = *rc::gen::inRange<std::int64_t>(0, 1000);
    result.policies.push_back({.id = any_text(),
                               .weight = any_number(),
                               .measurement = any_vector(m),
                               .standard_error = any_vector(m),
                               .episodes = episodes,
                               .cut = episodes / 2,
                               .file = any_text(),
                               .simulated = *rc::gen::arbitrary<bool>() ? any_vector(m) : Vector()});
  }
  result.policies_stored_max = *rc::gen::inRange(0, 1000);
  const auto steps = rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
  result.steps = {.training = *steps, .checks = *steps, .evaluation = *steps, .confirmation = *steps};
  result.seconds = any_number();
  result.seed = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62);
  if (*rc::gen::arbitrary<bool>())
    result.optimum = ObjectiveOptimum{
        any_text(),      *rc::gen::element(Sense::maximize, Sense::minimize),   any_number(), any_number(),
        Grade::evidence, *rc::gen::arbitrary<bool>() ? any_vector(2) : Vector()};
  if (*rc::gen::arbitrary<bool>()) result.simulated = Simulated{any_vector(m), any_number()};
  result.interrupted = *rc::gen::arbitrary<bool>();
  return result;
}

RC_GTEST_PROP(ResultProperty, WhatIsWrittenReadsBackEqual, ()) {
  const Result a = any_result();
  const Result b = parse_result(to_json_text(a), "result.json");
  RC_ASSERT(a.solver == b.solver && a.names == b.names && a.constraints == b.constraints);
  RC_ASSERT(a.status == b.status && a.interrupted == b.interrupted && a.seed == b.seed);
  RC_ASSERT(a.claim.proven == b.claim.proven && same(a.claim.level, b.claim.level));
  RC_ASSERT(a.claim.attempts == b.claim.attempts && a.claim.episodes == b.claim.episodes);
  RC_ASSERT(a.claim.assumes_nothing_unseen == b.claim.assumes_nothing_unseen);
  RC_ASSERT(a.claim.limits.size() == b.claim.limits.size());
  for (size_t i = 0; i < a.claim.limits.size(); ++i) {
    const ShownLimit &p = a.claim.limits[i], &q = b.claim.limits[i];
    RC_ASSERT(same(p.combination, q.combination));
    RC_ASSERT(same(p.at_most, q.at_most) && same(p.allowed, q.allowed));
  }
  RC_ASSERT(same(a.distance_error, b.distance_error));
  RC_ASSERT(same(a.tolerance, b.tolerance) && same(a.distance, b.distance) && same(a.error, b.error));
  RC_ASSERT(same(a.measurement, b.measurement) && same(a.standard_error, b.standard_error));
  const Certificate &c = a.certificate, &d = b.certificate;
  RC_ASSERT(same(c.direction, d.direction) && same(c.target_point, d.target_point) && c.grade == d.grade);
  RC_ASSERT(same(c.bound, d.bound) && same(c.slack, d.slack));
  RC_ASSERT(same(c.achievable_at, d.achievable_at) && same(c.target_at, d.target_at));
  RC_ASSERT(a.oracle_calls == b.oracle_calls && a.policies_stored_max == b.policies_stored_max);
  RC_ASSERT(a.steps == b.steps && same(a.seconds, b.seconds));
  RC_ASSERT(a.policies.size() == b.policies.size());
  for (std::size_t i = 0; i < a.policies.size(); ++i) {
    const ResultPolicy &p = a.policies[i], &q = b.policies[i];
    RC_ASSERT(p.id == q.id && p.file == q.file && same(p.weight, q.weight));
    RC_ASSERT(same(p.measurement, q.measurement) && same(p.standard_error, q.standard_error));
    RC_ASSERT(same(p.simulated, q.simulated));
  }
  RC_ASSERT(a.optimum.has_value() == b.optimum.has_value());
  if (a.optimum) {
    const ObjectiveOptimum &p = *a.optimum, &q = *b.optimum;
    RC_ASSERT(p.name == q.name && p.sense == q.sense && p.grade == q.grade);
    RC_ASSERT(same(p.value, q.value) && same(p.bound, q.bound));
    RC_ASSERT(same(p.interval, q.interval));
  }
  RC_ASSERT(a.simulated.has_value() == b.simulated.has_value());
  if (a.simulated) {
    RC_ASSERT(same(a.simulated->measurement, b.simulated->measurement));
    RC_ASSERT(same(a.simulated->distance, b.simulated->distance));
  }
}

TEST(Result, FieldsThatAreMissingOrWrongAreNamed) {
  Points points;
  points.names = {"x"};
  points.ids = {"p"};
  points.values = points.standard_errors = Matrix::Zero(1, 1);
  const Target target = make_target({"x"}, {parse_constraint("x <= 1", points.names)});
  const Json whole = to_json(mix(points, target, solver_kinds().standard().name, {}, {}));
  const auto error_of = [](const Json& json) -> std::string {
    try {
      parse_result(json.dump(), "r.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of(whole), "no error");
  for (const auto& [name, value] : whole.items()) {
    if (name == "distance_lower_bound") continue;  // stands in the certificate as well
    Json cut = whole;
    cut.erase(name);
    if (name == "certificate") continue;  // there need not be one
    EXPECT_EQ(error_of(cut), "r.json: " + name + ": missing");
    Json wrong = whole;
    wrong[name] = {{"no", "such"}};
    EXPECT_NE(error_of(wrong).find("r.json: "), std::string::npos) << name;
  }
}

Points measured_points() {
  Points points;
  points.names = {"x", "y"};
  points.ids = {"a", "b"};
  points.values = Matrix{{2, 3}, {3, 2}};
  points.standard_errors = Matrix::Constant(2, 2, 0.1);
  points.has_standard_errors = true;
  return points;
}

Target target_of(const std::vector<std::string>& texts, const Points& points) {
  std::vector<Constraint> constraints;
  for (const std::string& text : texts) constraints.push_back(parse_constraint(text, points.names));
  return make_target(points.names, constraints);
}

// What the bound rests on travels with it: along (1, 1), z standard errors of either entry of every point, with z
// for four entries at once.
TEST(Result, TheCertificateKnowsItsSlack) {
  const Points points = measured_points();
  const Result result =
      mix(points, target_of({"x <= 0", "y <= 0"}, points), "corrective-mnp", {.tolerance = 1e-9}, {});
  EXPECT_EQ(result.status, Status::infeasible);
  EXPECT_FALSE(result.claim.proven);
  EXPECT_EQ(result.claim.level, 0.95);
  const double slack = simultaneous_quantile(0.95, 4) * 0.2 / std::sqrt(2.0);
  EXPECT_NEAR(result.certificate.slack, slack, 1e-12);
  EXPECT_NEAR(result.certificate.bound, 5 / std::sqrt(2.0) - slack, 1e-9);
  EXPECT_EQ(verify_mix(points, result), std::vector<std::string>());
  EXPECT_EQ(Json::parse(to_json_text(result))["certificate"]["slack"], result.certificate.slack);
}

// Both points are z standard errors from where they look. x + y <= 5 + room is sure from 2 z 0.1 on, and out of
// reach below minus that.
TEST(Mix, MeasuredPointsAreMovedByTheirRegion) {
  const Points points = measured_points();
  const double z = simultaneous_quantile(0.95, 4);
  const auto status_at = [&](double room) {
    const Target target = target_of({"x + y <= " + std::to_string(5 + room)}, points);
    const Result result = mix(points, target, "corrective-mnp", {.tolerance = 1e-9}, {});
    EXPECT_EQ(verify_mix(points, result), std::vector<std::string>());
    return result.status;
  };
  EXPECT_EQ(status_at(0.2 * z + 1e-4), Status::feasible);
  EXPECT_EQ(status_at(0.2 * z - 1e-4), Status::undecided);
  EXPECT_EQ(status_at(-0.2 * z + 1e-4), Status::undecided);
  EXPECT_EQ(status_at(-0.2 * z - 1e-4), Status::infeasible);
}

// A disc: the region is a box around every point, which is inside the disc of its half-diagonal.
TEST(Mix, MeasuredPointsAndACurvedTarget) {
  const Points points = measured_points();
  const double reach = simultaneous_quantile(0.95, 4) * 0.1 * std::sqrt(2.0);
  const auto status_at = [&](double radius) {
    const Target target = target_of({"norm(x - 2.5, y - 2.5) <= " + std::to_string(radius)}, points);
    return mix(points, target, "corrective-mnp", {.tolerance = 1e-9}, {}).status;
  };
  EXPECT_EQ(status_at(reach + 1e-4), Status::feasible);
  EXPECT_EQ(status_at(reach - 1e-4), Status::undecided);
}

TEST(Mix, AStandardErrorOfNothingThatMattersLeavesProof) {
  Points points = measured_points();
  points.standard_errors.row(0).setZero();
  const Result result = mix(points, target_of({"x <= 2.5"}, points), "corrective-mnp", {}, {});
  EXPECT_EQ(result.status, Status::feasible);
  EXPECT_TRUE(result.claim.proven);
}

// The most of y with x surely below 2.8: the mixture keeps z standard errors away from it; the bound, being for
// points that may be as much better, is above.
TEST(Mix, TheMostOfAMeasuredValueHasAnInterval) {
  const Points points = measured_points();
  for (const SolverKind* kind : solver_kinds().all()) {
    if (kind->needs_one_point || kind->trains_one_policy || kind->needs_linear_constraints) continue;
    const Result result = mix(points, target_of({"x <= 2.8"}, points), kind->name, {.tolerance = 1e-6},
                              Objective{.expression = parse_linear("y", points.names)});
    if (result.status == Status::budget) continue;
    EXPECT_EQ(result.status, Status::optimal) << kind->name;
    ASSERT_TRUE(result.optimum) << kind->name;
    const ObjectiveOptimum& most = *result.optimum;
    const double half = simultaneous_quantile(0.95, 4) * 0.1;
    EXPECT_NEAR(most.value, 3, 1e-4) << kind->name;  // point a by itself
    EXPECT_NEAR(most.interval[0], most.value - half, 1e-6);
    EXPECT_NEAR(most.bound, 3 + half, 1e-3) << kind->name;
    EXPECT_GE(most.bound, most.value);
    EXPECT_EQ(verify_mix(points, result), std::vector<std::string>()) << kind->name;
  }
}

}  // namespace
}  // namespace c2rl
