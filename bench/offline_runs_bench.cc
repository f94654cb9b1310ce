// Whole runs from recorded data in worlds with chance: how they end, and how many claims are false, J being
// computed from the model. The target is a corner around the best point of a direction, with so much room to it.
//
//   offline_runs_bench [seeds [row ...]]

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "c2rl/environments/environment_kinds.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/run/solve.h"

namespace c2rl {
namespace {

struct Setting {
  std::string name;
  std::string environment;
  Vector direction;  // whose optimum the target is about
};

std::vector<Setting> settings() {
  const std::string map =
      "map = \"\"\"\n.........\n.........\n....#....\nS.####..G\n..####...\n..####...\n\"\"\"\n";
  return {{"navigation, slip 0.2",
           "kind = 'grid'\n" + map +
               "measurements = ['steps', 'risk']\nhorizon = 500\nstep = {steps = 1}\n"
               "legend = {'#' = {risk = 1}}\nslip = 0.2\n",
           Vector{{0.4, 1}}},
          {"mars rover, slip 0.1", "kind = 'mars-rover'\nslip = 0.1\n", Vector{{1, -3}}},
          {"garnet, 20 states", "kind = 'garnet'\nstates = 20\nseed = 2\nhorizon = 30\n", Vector{{1, 1}}}};
}

Problem problem_of(const Setting& setting, const std::string& constraints) {
  return read_problem(Config::parse("name = 'runs'\n[environment]\n" + setting.environment +
                                        "[target]\nconstraints = [" + constraints +
                                        "]\n[oracle]\nkind = 'dynamic-programming'\n"
                                        "[solver]\nkind = 'corrective-mnp'\ntolerance = 1e-4\n"
                                        "max_oracle_calls = 30\n",
                                    "bench"));
}

/// Measurements that are better when larger have a negative entry in the direction. Room is in units of what
/// caring for the other measurement alone would cost.
std::string constraints_of(const Setting& setting, const World& world, double room) {
  const DynamicProgramming planner(world.model);
  const Vector best = planner.minimize(setting.direction, Rng(0)).measurement;
  std::string result;
  for (int k = 0; k < world.dim(); ++k) {
    Vector other = 0.02 * setting.direction.cwiseSign();
    other[1 - k] *= 50;
    const double unit = std::abs(planner.minimize(other, Rng(0)).measurement[k] - best[k]);
    const bool larger = setting.direction[k] < 0;
    const double limit = best[k] + (larger ? -1 : 1) * room * unit;
    result +=
        fmt::format("{}'{} {} {}'", k > 0 ? ", " : "", world.measurements[k], larger ? ">=" : "<=", limit);
  }
  return result;
}

void run_row(const Setting& setting, double room, int samples, int seeds) {
  const Config file = Config::parse("[environment]\n" + setting.environment, "bench");
  const World world = make_world(file.section("environment"));
  Problem problem = problem_of(setting, constraints_of(setting, world, room));
  problem.oracle_kind = &oracle_kinds().find("ddqn");
  problem.patience.retries = 1;
  const Vector sign = setting.direction.cwiseSign();
  const std::vector<Vector> directions = {sign, Vector{{sign[0], 0.1 * sign[1]}},
                                          Vector{{0.1 * sign[0], sign[1]}}};
  SolveListener silent;
  std::map<std::string, int> ended;
  int wrong = 0;
  double calls = 0, seconds = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    problem.seed = static_cast<std::uint64_t>(seed);
    const auto data = std::make_shared<const Dataset>(
        collect(problem.world, {}, directions, samples, Rng(problem.seed + 1000)));
    problem.oracle = std::make_shared<const Ddqn>(
        data, DdqnOptions{.hidden = {64, 64}, .updates = 2000, .batch = 128}, ActionCounts(problem.world));
    const Result result = solve(problem, nullptr, silent);
    ++ended[to_string(result.status)];
    const bool inside = result.simulated && result.simulated->distance <= problem.solver.tolerance;
    wrong += holds(result.status) && !inside;
    calls += result.oracle_calls;
    seconds += result.seconds;
  }
  std::string statuses;
  for (const auto& [status, count] : ended) statuses += fmt::format(" {} {}", count, status);
  std::cout << fmt::format("{:22} room {:5.2f} {:7} transitions: {} false;{}; {:.1f} calls, {:.1f} s\n",
                           setting.name, room, samples, wrong, statuses, calls / seeds, seconds / seeds)
            << std::flush;
}

}  // namespace
}  // namespace c2rl

int main(int count, char** words) {
  using namespace c2rl;
  const int seeds = count > 1 ? std::atoi(words[1]) : 20;
  for (const Setting& setting : settings()) {
    for (const double room : {0.3, 0.08, 0.0, -0.1}) {
      for (const int samples : {20'000, 200'000}) {
        const std::string row = fmt::format("{} room {} {} ", setting.name, room, samples);
        bool wanted = count <= 2;
        for (int i = 2; i < count; ++i) wanted |= row.find(words[i]) != std::string::npos;
        if (wanted) run_row(setting, room, samples, seeds);
      }
    }
  }
}
