// What a call of the exact oracle over a model in parts costs, against states, transitions, measurements and ranks, beside what
// the arrays that its sweeps go through would take at the speed of the memory, measured in the same run.
//   parts_bench [--states N] [--branching N] [--measurements N] [--discount D] [--gap G]
//   mpirun -n 2 --bind-to core parts_bench ...
// Without options: a table. Times are those of the slowest rank.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "c2rl/base/config.h"
#include "c2rl/base/stopwatch.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/parallel.h"
#include "c2rl/planning/partitioned.h"
#include "mpi_ranks.h"

namespace {

using namespace c2rl;

struct Row {
  int states = 0, branching = 5, measurements = 2;
  double discount = 0.99, gap = 1e-9;
};

double slowest(Ranks& ranks, double seconds) {
  ranks.take_largest({&seconds, 1});
  return seconds;
}

/// Bytes a second that all ranks together read, each from an array of its own that no cache holds.
double stream(Ranks& ranks) {
  const std::vector<double> numbers(std::size_t{1} << 25, 1.0);
  double best = 0, sum = 0;
  for (int i = 0; i < 3; ++i) {
    const Stopwatch watch;
    std::vector<double> sums(64);
    for_each_parallel(64, [&](int piece) {
      const std::size_t size = numbers.size() / 64;
      double own[8] = {};
      for (std::size_t j = piece * size; j < (piece + 1) * size; j += 8) {
        for (int k = 0; k < 8; ++k) own[k] += numbers[j + k];
      }
      for (const double part : own) sums[piece] += part;
    });
    for (const double part : sums) sum += part;
    best = std::max(best, 8.0 * static_cast<double>(numbers.size()) / slowest(ranks, watch.seconds()));
  }
  if (sum == 0) fmt::print("?");
  return best * ranks.size();
}

void measure(const Row& row, double bandwidth, Ranks& ranks) {
  const Config config = Config::parse(
      fmt::format("[environment]\nkind = 'garnet'\nstates = {}\nbranching = {}\nmeasurements = {}\n"
                  "discount = {}\npartitioned = true\n",
                  row.states, row.branching, row.measurements, row.discount),
      "bench");
  const World world = make_world(config.section("environment"));
  const Stopwatch making;
  PartitionedPlanner planner(world.part(ranks.rank(), ranks.size()), ranks);
  const double made = slowest(ranks, making.seconds());
  Vector direction = Vector::Ones(row.measurements);
  direction.normalize();
  const Stopwatch watch;
  const PartitionedPlanner::Answer answer = planner.minimise(direction, row.gap);
  const double seconds = slowest(ranks, watch.seconds());
  // What is read and written once in a sweep: of a transition its successor and probability, of a choice its cost and where
  // it begins, of a state its values and action. What is read of successors' values comes on top, from the cache or not.
  const double states = row.states, choices = 4 * states, transitions = choices * row.branching;
  const double look = 12 * transitions + 12 * choices + 28 * states;
  const double follow = 12 * transitions / 4 + 12 * states + 24 * states;
  const double measuring = 12 * transitions / 4 + 4 * states + 24 * row.measurements * states;
  const double bytes = answer.sweeps * look + 4 * (answer.sweeps - 1) * follow +
                       (answer.policy_sweeps - 4 * (answer.sweeps - 1)) * measuring;
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  if (!ranks.is_first()) return;
  fmt::print(
      "{:>9} {:>10.0f} {:>3} {:>5} {:>6} {:>7.2f} {:>8.3f} {:>5}+{:<4} {:>7.2f} {:>7.2f} {:>8.1e} {:>7}\n",
      row.states, transitions, row.measurements, row.discount, ranks.size(), made, seconds, answer.sweeps,
      answer.policy_sweeps, bytes / seconds / 1e9, bytes / bandwidth / seconds,
      direction.dot(answer.measurement) + direction.lpNorm<1>() * answer.error - answer.lower_bound,
      usage.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Row one;
  CLI::App app("Planning over a model in parts");
  app.add_option("--states", one.states, "of the model; without it, a table");
  app.add_option("--branching", one.branching, "successors of a choice");
  app.add_option("--measurements", one.measurements, "that are evaluated");
  app.add_option("--discount", one.discount, "below 1");
  app.add_option("--gap", one.gap, "as of the oracle");
  CLI11_PARSE(app, argc, argv);
  const auto job = ranks_of_job();
  Ranks& ranks = job ? *job : lone_rank();
  const double bandwidth = stream(ranks);
  if (ranks.is_first()) {
    fmt::print(
        "Garnets with 4 actions. The memory gives {:.1f} GB/s. sweeps: over all choices + over one policy; "
        "GB/s: of "
        "what they go\nthrough; part: of the memory's; slack: proven; MB: of rank 0\n\n",
        bandwidth / 1e9);
    fmt::print("{:>9} {:>10} {:>3} {:>5} {:>6} {:>7} {:>8} {:>10} {:>7} {:>7} {:>8} {:>7}\n", "states",
               "transitions", "m", "disc.", "ranks", "made s", "call s", "sweeps", "GB/s", "part", "slack",
               "MB");
  }
  std::vector<Row> rows;
  if (one.states > 0) {
    rows.push_back(one);
  } else {
    for (const int states : {10'000, 100'000, 1'000'000}) rows.push_back({.states = states});
    for (const int branching : {2, 10, 20}) rows.push_back({.states = 100'000, .branching = branching});
    for (const int m : {1, 4, 8}) rows.push_back({.states = 100'000, .measurements = m});
    for (const double discount : {0.9, 0.999}) rows.push_back({.states = 100'000, .discount = discount});
  }
  for (const Row& row : rows) measure(row, bandwidth, ranks);
}
