// What holds for every solver on every kind of point list and target, cycle by cycle.

#include <algorithm>
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "c2rl/base/random.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/solve/point_oracle.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

struct Problem {
  Matrix points;
  SetPtr target;
  double size = 1;    // of the coordinates: what rounding is relative to
  double spread = 1;  // of the points: what distances are relative to
};

Matrix draw_points(Rng& rng, int dim, int count) {
  Matrix points(dim, count);
  for (int j = 0; j < count; ++j) points.col(j) = rng.normal_vector(dim);
  return points;
}

SetPtr draw_target(Rng& rng, int dim, double spread, const Vector& around) {
  const Vector center = around + spread * (0.2 + 2 * rng.uniform()) * rng.normal_vector(dim);
  switch (rng.below(6)) {
    case 0:
      return point(center);
    case 1:
      return ball(center, spread * rng.uniform());
    case 2: {  // one-sided bounds
      Vector lower = Vector::Constant(dim, -kInfinity), upper = center;
      if (dim > 1) std::swap(lower[0], upper[0]), lower[0] = center[0], upper[0] = kInfinity;
      return box(lower, upper);
    }
    case 3:
      return box(center, center + spread * rng.normal_vector(dim).cwiseAbs());
    case 4: {
      const Matrix a = draw_points(rng, 1 + static_cast<int>(rng.below(dim)), dim);
      return polyhedron(a, Vector::Constant(a.rows(), -kInfinity), a * center);
    }
    default: {
      const Vector normal = rng.normal_vector(dim);
      return intersection({ball(center, spread), halfspace(normal, normal.dot(center))});
    }
  }
}

/// The lists that make trouble, by name.
struct Shape {
  const char* name;
  std::function<Problem(Rng&)> draw;
};

Problem general(Rng& rng, int count, double offset = 0, double spread = 1) {
  const int dim = 1 + static_cast<int>(rng.below(6));
  Problem problem;
  problem.points = (spread * draw_points(rng, dim, count)).array() + offset;
  problem.target = draw_target(rng, dim, spread, Vector::Constant(dim, offset));
  problem.size = spread + offset;
  problem.spread = spread;
  return problem;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"general", [](Rng& rng) { return general(rng, 2 + static_cast<int>(rng.below(40))); }},
      {"single_point", [](Rng& rng) { return general(rng, 1); }},
      {"duplicates",
       [](Rng& rng) {
         Problem problem = general(rng, 12);
         for (int j = 0; j < 12; j += 2) problem.points.col(j + 1) = problem.points.col(j);
         return problem;
       }},
      {"near_duplicates",
       [](Rng& rng) {
         Problem problem = general(rng, 16);
         for (int j = 0; j < 16; ++j) {
           if (j % 4 != 0)
             problem.points.col(j) = problem.points.col(j - j % 4) +
                                     1e-8 * rng.normal_vector(static_cast<int>(problem.points.rows()));
         }
         return problem;
       }},
      {"fixed_sum",
       [](Rng& rng) {
         Problem problem = general(rng, 20);
         const auto mean = problem.points.colwise().mean().eval();
         problem.points.rowwise() -= mean;
         return problem;
       }},
      {"inside",
       [](Rng& rng) {
         Problem problem = general(rng, 8);
         problem.target = ball(problem.points.col(3), 0.1);
         return problem;
       }},
      {"offset", [](Rng& rng) { return general(rng, 15, 1e6); }},
      {"tiny", [](Rng& rng) { return general(rng, 15, 0, 1e-6); }},
      {"grid",  // many ties and affinely dependent points
       [](Rng& rng) {
         Problem problem = general(rng, 30);
         problem.points = problem.points.array().round();
         return problem;
       }},
  };
  return all;
}

/// min 1/2 dist^2 over the simplex of weights by accelerated projected gradient: independent of every solver.
double reference_distance(const Problem& problem, int iterations) {
  const auto& s = problem.points;
  const Matrix centered = s.colwise() - s.col(0);
  const double lipschitz = std::max(1e-300, centered.squaredNorm());
  const SetPtr weights = simplex(static_cast<int>(s.cols()));
  Vector mu = Vector::Constant(s.cols(), 1.0 / static_cast<double>(s.cols())), ahead = mu;
  double momentum = 1, best = kInfinity;
  for (int i = 0; i < iterations; ++i) {
    const Vector x = s.col(0) + centered * ahead;
    const Vector gradient = centered.transpose() * (x - problem.target->project(x));
    const Vector next = weights->project(ahead - gradient / lipschitz);
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    // Restart when the step goes against the momentum.
    const bool against = gradient.dot(next - mu) > 0;
    ahead = against ? next : Vector(next + ((momentum - 1) / grown) * (next - mu));
    momentum = against ? 1 : grown;
    mu = next;
    best = std::min(best, problem.target->distance(s.col(0) + centered * mu));
  }
  return best;
}

struct Case {
  const SolverKind* kind;
  int shape;
};

class EverySolver : public testing::TestWithParam<Case> {};

/// A cycle of ApproPO takes dozens of projections.
const std::map<std::string, int> kFewerCalls = {{"appropo", 60}};
constexpr int kCalls = 300;

bool takes(const SolverKind& kind, const SetPtr& target) {
  try {
    kind.check_suits(*target);
    return true;
  } catch (const UnsuitableTargetError&) {
    return false;
  }
}

/// What the certificate's two values come to, which the distance of no mixture has lowered.
double shown_bound(const Solver& solver) {
  const Certificate& certificate = solver.certificate();
  return certificate.bound > 0 ? certificate.achievable_at - certificate.target_at : 0;
}

TEST_P(EverySolver, KeepsTheBooksEachCycle) {
  const SolverKind& kind = *GetParam().kind;
  const bool is_standard = &kind == &solver_kinds().standard();
  const int shape = GetParam().shape;
  const bool holds = rc::check(kind.name + " on " + shapes()[shape].name, [&](std::uint32_t seed) {
    Rng rng(seed);
    Problem problem = shapes()[shape].draw(rng);
    const int dim = static_cast<int>(problem.points.rows());
    if (!takes(kind, problem.target)) problem.target = point(problem.target->project(problem.points.col(0)));
    const double rounding = 1e-12 * problem.size;
    const auto fewer = kFewerCalls.find(kind.name);
    const SolverOptions options{.tolerance = 1e-9 * problem.spread,
                                .max_oracle_calls = fewer == kFewerCalls.end() ? kCalls : fewer->second};
    const auto solver = make_solver(kind.name, problem.target, options);
    PointOracle oracle(problem.points);
    double last_distance = kInfinity, last_bound = 0;
    while (const auto direction = solver->ask()) {
      const Cycle cycle = solver->tell(oracle.minimize(*direction));
      const Mixture& mixture = solver->mixture();
      RC_ASSERT(mixture.weights.minCoeff() > 0);
      RC_ASSERT(std::abs(mixture.weights.sum() - 1) <= 1e-12);
      Vector x = Vector::Zero(dim);
      for (int i = 0; i < mixture.size(); ++i) {
        const Vector atom = problem.points.col(oracle.column(mixture.ids[i]));
        RC_ASSERT((mixture.atoms.col(i) - atom).norm() <= 1e-11 * problem.size);
        x += mixture.weights[i] * atom;
      }
      RC_ASSERT((x - mixture.point).norm() <= 1e-11 * problem.size);
      RC_ASSERT(std::abs(problem.target->distance(x) - cycle.distance) <= 1e-10 * problem.size);
      RC_ASSERT(cycle.distance_lower_bound >= last_bound);
      RC_ASSERT(cycle.distance_lower_bound <= cycle.distance + rounding);
      RC_ASSERT(shown_bound(*solver) <= cycle.distance * (1 + 1e-9) + rounding);
      if (kind.keeps == Keeps::one) RC_ASSERT(mixture.size() == 1);
      if (kind.keeps == Keeps::few) {
        RC_ASSERT(cycle.distance <= last_distance + rounding);
        RC_ASSERT(mixture.size() <= dim + 1);
      }
      last_distance = cycle.distance;
      last_bound = cycle.distance_lower_bound;
    }
    // The bound holds for every point of the hull: in particular it is no larger than the best distance there
    // is.
    const double best = reference_distance(problem, is_standard ? 4000 : 200);
    RC_ASSERT(last_bound <= best + rounding);
    if (is_standard) {
      RC_ASSERT(solver->status() != Status::budget);
      RC_ASSERT(solver->status() != Status::oracle_failed);
      RC_ASSERT(solver->distance() <= best + 1e-8 * problem.spread + rounding);
      if (solver->status() == Status::infeasible) {
        // The direction, and with it the bound, is known to rounding / distance; projections on curved
        // intersections to their own tolerance, which is about as much.
        const double tilt = 10 * rounding * (1 + problem.spread / solver->distance());
        RC_ASSERT(solver->distance() - last_bound <= options.tolerance + tilt);
      }
    }
  });
  EXPECT_TRUE(holds);
}

// A polyhedron without corners a million away: how far it reaches is for its faces to say, since a search for its
// farthest point ends where rounding hides the moves, and short of it by 8e-4.
TEST(Lagrangian, ABoundRestsOnTheFacesAlone) {
  Rng rng(503031);
  const Problem problem = general(rng, 15, 1e6);
  const auto solver = make_solver("lagrangian", problem.target, {.tolerance = 1e-9, .max_oracle_calls = 300});
  PointOracle oracle(problem.points);
  while (const auto direction = solver->ask()) {
    solver->tell(oracle.minimize(*direction));
    EXPECT_LE(shown_bound(*solver), 0.4490476973 + 1e-9);
  }
  EXPECT_GT(shown_bound(*solver), 0.44);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const SolverKind* kind : solver_kinds().all()) {
    for (int shape = 0; shape < static_cast<int>(shapes().size()); ++shape) all.push_back({kind, shape});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, testing::ValuesIn(cases()), [](const auto& example) {
  std::string name = example.param.kind->name + "_" + shapes()[example.param.shape].name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace c2rl
