#include "honest_problems.h"

#include <map>

#include <fmt/format.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/geometry/sets.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/run/solve.h"
#include "c2rl/solve/solver_kinds.h"

namespace c2rl {
namespace {

std::string navigation(double slip) {
  return fmt::format(R"(
kind = "grid"
map = """
.........
.........
....#....
S.####..G
..####...
..####...
"""
measurements = ["steps", "risk"]
horizon = 500
discount = 1.0
slip = {}
[environment.step]
steps = 1
[environment.legend]
"#" = {{ risk = 1 }}
)",
                     slip);
}

std::string rover(double slip) {
  return fmt::format("kind = \"mars-rover\"\nslip = {}\nhorizon = 300\n", slip);
}

std::string garnet(int states, int measurements, int seed) {
  return fmt::format(
      "kind = \"garnet\"\nstates = {}\nactions = 3\nbranching = 3\nmeasurements = {}\nseed = {}\n"
      "discount = 0.9\n",
      states, measurements, seed);
}

// A ledge: the short way leads past pits, and one step in two hundred goes astray.
const char* const kLedge = R"(
kind = "grid"
map = """
.......
S.....G
PPPPPPP
"""
measurements = ["steps", "fall"]
horizon = 100
discount = 1.0
slip = 0.005
[environment.step]
steps = 1
[environment.legend]
"P" = { fall = 1 }
)";

// No episode has more than its 200 steps, which is all that is known exactly here.
const char* const kCartPole = R"(
kind = "cart-pole"
middle = 0.1
horizon = 200
)";

const char* const kQ = R"(kind = "q-learning")";
const char* const kData = R"(kind = "ddqn")";

}  // namespace

const std::vector<HonestWorld>& honest_worlds() {
  const std::string a2c = R"(kind = "a2c")", ppo = R"(kind = "ppo")";
  static const std::vector<HonestWorld> kWorlds = {
      {"navigation, slip 0.05", navigation(0.05), {1, 1}, {kQ}},
      {"navigation, slip 0.15", navigation(0.15), {1, 1}, {kQ, a2c, ppo, kData}},
      {"navigation, slip 0.3", navigation(0.3), {1, 1}, {kQ}},
      {"rover, slip 0.05", rover(0.05), {1, -1}, {kQ, a2c, kData}},
      {"rover, slip 0.15", rover(0.15), {1, -1}, {kQ}},
      {"garnet, 10 states", garnet(10, 2, 1), {1, 1}, {kQ, a2c, kData}},
      {"garnet, 30 states", garnet(30, 2, 2), {1, 1}, {kQ}},
      {"garnet, 3 measurements", garnet(15, 3, 3), {1, 1, 1}, {kQ}},
      {"ledge, rare falls", kLedge, {1, 1}, {kQ, a2c}},
      {"rock-paper-scissors", "kind = \"rock-paper-scissors\"\nrounds = 3\n", {-1, -1, -1}, {kQ}},
      // A second retry would be 1.6 million steps, learnt from 20 times each.
      {"cart-pole", kCartPole, {-1, 1}, {ppo + "\nretries = 1", a2c + "\ntraining_steps = 2000000"}},
  };
  return kWorlds;
}

namespace {

World world_of(const HonestWorld& world) {
  return make_world(Config::parse("[environment]\n" + world.environment, world.name).section("environment"));
}

Vector signs_of(const HonestWorld& world) {
  Vector signs(static_cast<Eigen::Index>(world.signs.size()));
  for (std::size_t i = 0; i < world.signs.size(); ++i) signs[static_cast<Eigen::Index>(i)] = world.signs[i];
  return signs;
}

std::vector<Constraint> limits(const World& world, const Vector& signs, const Vector& at) {
  std::vector<Constraint> constraints;
  for (int i = 0; i < world.dim(); ++i) {
    constraints.push_back(
        parse_constraint(fmt::format("{} {} {}", world.measurements[i], signs[i] > 0 ? "<=" : ">=", at[i]),
                         world.measurements));
  }
  return constraints;
}

/// Recorded by an agent that cared for one measurement, then for another, and for all of them.
void learn_from_data(Problem& problem, const Vector& signs) {
  constexpr int kTransitions = 2'000'000;
  std::vector<Vector> directions = {signs};
  for (Eigen::Index i = 0; i < signs.size(); ++i) {
    directions.emplace_back(0.1 * signs);
    directions.back()[i] = signs[i];
  }
  const auto data = std::make_shared<const Dataset>(
      collect(problem.world, {}, directions, kTransitions, Rng(problem.seed).fork("data")));
  problem.oracle_kind = &oracle_kinds().find("ddqn");
  problem.oracle = std::make_shared<const Ddqn>(data, DdqnOptions{}, ActionCounts(problem.world));
}

/// How far from a set the nearest mixture is.
double distance_to_reach(const DynamicProgramming& oracle, const SetPtr& set) {
  const auto solver = make_solver(solver_kinds().standard().name, set, {.tolerance = 1e-10});
  while (const auto direction = solver->ask()) {
    const OracleAnswer answer = oracle.minimize(*direction, Rng(0));
    solver->tell({.point = answer.measurement, .slack = answer.slack});
  }
  return solver->distance();
}

bool can_be_met(const World& world, const DynamicProgramming& oracle, const Vector& signs, const Vector& at) {
  return distance_to_reach(oracle, make_target(world.measurements, limits(world, signs, at)).set) <= 1e-9;
}

}  // namespace

Corner touching_corner(const HonestWorld& honest) {
  const World world = world_of(honest);
  if (!world.model) return {Vector{{200, 20}}, Vector{{200, 0}}};  // the cart-pole
  const DynamicProgramming oracle(world.model);
  const Vector signs = signs_of(honest);
  const int m = world.dim();
  Corner corner{Vector::Zero(m), Vector::Zero(m)};
  for (int i = 0; i < m; ++i) {
    // Mostly one measurement, and a little of the others, which would else be anything.
    const Vector direction = signs.cwiseProduct(Vector::Constant(m, 0.1) + Vector::Unit(m, i));
    const Vector best = oracle.minimize(direction, Rng(0)).measurement;
    corner.at += best / m;
    corner.size = corner.size.cwiseMax(best.cwiseAbs());
  }
  // Between the best of each, there is room; how much?
  double low = 0, high = 1;
  const auto at = [&](double part) { return Vector(corner.at - part * signs.cwiseProduct(corner.size)); };
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (can_be_met(world, oracle, signs, at(middle)) ? low : high) = middle;
  }
  corner.at = at(low);
  return corner;
}

Problem honest_problem(const HonestWorld& honest, const Corner& corner, double room,
                       const std::string& oracle, std::uint64_t seed) {
  const World world = world_of(honest);
  const Vector signs = signs_of(honest);
  std::string constraints;
  for (const Constraint& constraint :
       limits(world, signs, corner.at + room * signs.cwiseProduct(corner.size)))
    constraints += fmt::format("\"{}\", ", constraint.text);
  const std::string sections = fmt::format(
      "seed = {}\n[target]\nconstraints = [{}]\n[solver]\nmax_oracle_calls = 50\n[environment]\n{}", seed,
      constraints, honest.environment);
  if (oracle != kData)
    return read_problem(Config::parse(fmt::format("{}\n[oracle]\n{}\n", sections, oracle), honest.name));
  Problem problem = read_problem(Config::parse(sections, honest.name));
  learn_from_data(problem, signs);
  return problem;
}

RandomProblem random_problem(std::uint64_t seed) {
  Rng rng = Rng(seed).fork("honest");
  const auto pick = [&](int low, int high) { return low + static_cast<int>(rng.below(high - low + 1)); };
  const int m = pick(2, 3);
  HonestWorld honest;
  honest.name = fmt::format("random {}", seed);
  honest.environment = fmt::format(
      "kind = \"garnet\"\nstates = {}\nactions = {}\nbranching = {}\nmeasurements = {}\nseed = {}\ndiscount "
      "= {:.3f}\n",
      pick(4, 30), pick(2, 4), pick(1, 4), m, seed, 0.7 + 0.25 * rng.uniform());
  for (int i = 0; i < m; ++i) honest.signs.push_back(rng.uniform() < 0.5 ? 1 : -1);
  const Corner corner = touching_corner(honest);
  const std::vector<std::string> oracles = {"kind = \"q-learning\"\ntraining_steps = 20000",
                                            "kind = \"a2c\"\ntraining_steps = 20000",
                                            "kind = \"ppo\"\ntraining_steps = 8192"};
  const double rooms[] = {-0.02, -0.002, 0, 0.002, 0.01, 0.05};
  RandomProblem result;
  result.room = rooms[rng.below(std::size(rooms))];
  const std::string oracle = oracles[rng.below(oracles.size())];
  result.problem = honest_problem(honest, corner, result.room, oracle, seed);
  if (rng.uniform() < 0.5) {
    // A ball about a point out of reach, as large as it is far away, and a little more or less.
    const World world = world_of(honest);
    const Vector at = corner.at - 0.3 * signs_of(honest).cwiseProduct(corner.size);
    const double far = distance_to_reach(DynamicProgramming(world.model), point(at));
    std::string terms;
    for (int i = 0; i < m; ++i)
      terms += fmt::format("{}{} - {}", i > 0 ? ", " : "", world.measurements[i], at[i]);
    const std::string ball = fmt::format("norm({}) <= {}", terms, far + result.room * corner.size.norm());
    result.problem.target = make_target(world.measurements, {parse_constraint(ball, world.measurements)});
  }
  result.problem.confirmation.max_steps = 2'000'000;
  return result;
}

Outcome run_honestly(const Problem& problem) {
  struct Keeper final : SolveListener {
    std::map<std::string, PolicyPtr> policies;
    bool call_finished(const CallRecord& record) override {
      policies[fmt::format("call-{}", record.call)] = record.policy;
      return true;
    }
  } keeper;
  Outcome outcome{.result = solve(problem, nullptr, keeper)};
  // By episodes the truth is dear, and nothing was claimed that it would be held against.
  if (!problem.world.model && !holds(outcome.result.status)) return outcome;
  constexpr int kEpisodes = 100'000;
  Vector truth = Vector::Zero(problem.world.dim());
  for (const ResultPolicy& policy : outcome.result.policies) {
    const Policy& found = *keeper.policies.at(policy.id);
    truth +=
        policy.weight * (problem.world.model ? evaluate(*problem.world.model, found).measurement
                                             : estimate(problem.world, found, kEpisodes, Rng(1)).measurement);
  }
  outcome.distance = problem.target.set->distance(truth);
  return outcome;
}

}  // namespace c2rl
