#include "c2rl/report/readable_certificate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "c2rl/base/random.h"
#include "c2rl/geometry/linear_expression.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

const std::vector<std::string> kNames = {"steps", "risk"};

Target target_of(const std::vector<std::string>& texts) {
  std::vector<Constraint> constraints;
  constraints.reserve(texts.size());
  for (const std::string& text : texts) constraints.push_back(parse_constraint(text, kNames));
  return make_target(kNames, constraints);
}

/// What a solve over these points leaves when it ends infeasible.
ReadableCertificate solved(const Matrix& points, const Target& target) {
  const auto solver = make_solver(solver_kinds().standard().name, target.set, {.tolerance = 1e-9});
  PointOracle(points).run(*solver);
  EXPECT_EQ(solver->status(), Status::infeasible);
  const Certificate& certificate = solver->certificate();
  return readable(certificate, target,
                  points.cwiseAbs().rowwise().maxCoeff().cwiseMax(certificate.target_point.cwiseAbs()));
}

const Matrix kNavigation{{8, 10, 12, 500}, {4, 1, 0, 0}};

TEST(ReadableCertificate, SmallWholeNumbers) {
  const ReadableCertificate found = solved(kNavigation, target_of({"steps <= 9", "risk <= 0.5"}));
  EXPECT_EQ(found.achievable, "3 steps + 2 risk >= 32");
  EXPECT_EQ(found.asked, "3 steps + 2 risk <= 28");
}

TEST(ReadableCertificate, OneMeasurementHasNoCoefficientAndNoMinus) {
  const ReadableCertificate low = solved(kNavigation, target_of({"steps <= 7"}));
  EXPECT_EQ(low.achievable, "steps >= 8");
  EXPECT_EQ(low.asked, "steps <= 7");
  const ReadableCertificate high = solved(kNavigation, target_of({"10*risk >= 45"}));
  EXPECT_EQ(high.achievable, "risk <= 4");
  EXPECT_EQ(high.asked, "risk >= 4.5");
}

TEST(ReadableCertificate, TheConstraintsOwnCoefficientsWhereNoneAreWhole) {
  const ReadableCertificate found = solved(kNavigation, target_of({"3.14159*steps + 2.71828*risk <= 20"}));
  EXPECT_EQ(found.achievable, "3.14159 steps + 2.71828 risk >= 34.1341");  // at (10, 1), rounded down
  EXPECT_EQ(found.asked, "3.14159 steps + 2.71828 risk <= 20");
  EXPECT_EQ(found.distance, "3.40225");  // 14.13418 / |(3.14159, 2.71828)| = 3.402259, rounded down
}

// A gap below six digits takes more of them: what is printed must be a contradiction.
TEST(ReadableCertificate, AsManyDigitsAsItTakesToSeeTheGap) {
  const ReadableCertificate found = solved(kNavigation, target_of({"steps <= 7.9999999"}));
  EXPECT_EQ(found.achievable, "steps >= 8");
  EXPECT_EQ(found.asked, "steps <= 7.9999999");
}

/// The sides of "EXPRESSION >= NUMBER" or "<=", with products written as the parser of expressions reads them.
struct Statement {
  LinearExpression left;
  bool at_least = false;
  double bound = 0;

  explicit Statement(const std::string& text) {
    const size_t sign = std::min(text.find(" >= "), text.find(" <= "));
    std::string written = text.substr(0, sign);
    for (const std::string& name : kNames) {
      for (size_t at = written.find(name); at != std::string::npos; at = written.find(name, at + name.size()))
        if (at >= 2 && std::isdigit(static_cast<unsigned char>(written[at - 2])) != 0) written[at - 1] = '*';
    }
    left = parse_linear(written, kNames);
    at_least = text[sign + 1] == '>';
    bound = std::stod(text.substr(sign + 4));
  }

  /// By how much it holds.
  double margin(const Vector& x) const { return (at_least ? 1 : -1) * (left.at(x) - bound); }
};

// Random points, and a target whose corner no direction of small whole numbers is normal to: what is printed
// holds of every point and of the target, as printed.
TEST(ReadableCertificate, HoldsAsPrinted) {
  int checked = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    Matrix points(2, 12);
    for (Eigen::Index j = 0; j < points.cols(); ++j)
      points.col(j) = 100 * rng.normal_vector(2).cwiseAbs() + Vector{{1, 1}};
    const double limit = points.sum() / 1000 * rng.uniform();
    const Target target = target_of({fmt::format("steps <= {}", limit), fmt::format("risk <= {}", limit)});
    const auto solver = make_solver(solver_kinds().standard().name, target.set, {.tolerance = 1e-9});
    PointOracle(points).run(*solver);
    if (solver->status() != Status::infeasible) continue;
    ++checked;
    const ReadableCertificate found =
        readable(solver->certificate(), target, points.cwiseAbs().rowwise().maxCoeff());
    const Statement achievable(found.achievable), asked(found.asked);
    for (Eigen::Index j = 0; j < points.cols(); ++j)
      EXPECT_GE(achievable.margin(points.col(j)), -1e-6) << seed << ": " << found.achievable;
    EXPECT_GE(asked.margin(Vector{{limit, limit}}), -1e-6) << seed << ": " << found.asked;
    EXPECT_GT(achievable.bound, asked.bound) << seed;
  }
  EXPECT_GT(checked, 50);
}

}  // namespace
}  // namespace c2rl
