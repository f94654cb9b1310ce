// Whole learning runs on problems whose truth is known: how often is a claim false, how often is a target found
// that has room, and what does it cost?
//
//   build/release/tests/honesty_bench --seeds 50 --threads 2 [--only TEXT]
//   build/release/tests/honesty_bench --random 1000 --threads 2: as many random problems instead, one seed each

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "honest_problems.h"

namespace c2rl {
namespace {

struct Room {
  const char* name;
  double part;
};
constexpr Room kRooms[] = {{"room", 0.1}, {"little room", 0.02}, {"touching", 0}, {"out of reach", -0.02}};

constexpr std::int64_t kStepsWhereTouching = 10'000'000;

struct Tally {
  std::map<std::string, int> ends;
  int false_feasible = 0, false_infeasible = 0;
  std::vector<double> calls, episodes, steps, seconds;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

void report(const std::string& row, const Tally& tally) {
  std::string ends;
  for (const auto& [word, count] : tally.ends) ends += fmt::format("{} {}  ", word, count);
  fmt::print("{:68} {:44} false {} {}  calls {:.0f}  episodes {:.0f}  steps {:.0f}  seconds {:.2f}\n", row,
             ends, tally.false_feasible, tally.false_infeasible, median(tally.calls), median(tally.episodes),
             median(tally.steps), median(tally.seconds));
  std::fflush(stdout);
}

bool is_false_feasible(const Outcome& outcome) {
  // What only the model's contradiction kept from being claimed was claimed by the episodes.
  const Result& result = outcome.result;
  const bool contradicted = result.model && result.model->contradicts;
  return contradicted || (holds(result.status) && outcome.distance > result.tolerance + 1e-9);
}

/// body(i) for i from 0 to count - 1, each on one of so many threads.
void for_each(int count, int threads, const std::function<void(int)>& body) {
  std::atomic<int> next = 0;
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      tbb::task_arena(1).execute([&] {
        for (int i = next++; i < count; i = next++) body(i);
      });
    });
  }
  for (std::thread& worker : workers) worker.join();
}

Tally run(const HonestWorld& world, const Corner& corner, const Room& room, const std::string& oracle,
          int seeds, int threads) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(seeds));
  for_each(seeds, threads, [&](int seed) {
    Problem problem = honest_problem(world, corner, room.part, oracle, static_cast<std::uint64_t>(seed));
    // Without room, everything that is allowed is spent.
    if (room.part == 0) problem.confirmation.max_steps = kStepsWhereTouching;
    outcomes[static_cast<std::size_t>(seed)] = run_honestly(problem);
  });
  Tally tally;
  for (const Outcome& outcome : outcomes) {
    const Result& result = outcome.result;
    ++tally.ends[to_string(result.status)];
    tally.false_feasible += is_false_feasible(outcome);
    tally.false_infeasible += result.status == Status::infeasible && room.part >= 0;
    tally.calls.push_back(result.oracle_calls);
    tally.episodes.push_back(static_cast<double>(result.claim.episodes));
    tally.steps.push_back(static_cast<double>(result.steps.all()));
    tally.seconds.push_back(result.seconds);
  }
  return tally;
}

int run_random(int count, int threads) {
  std::mutex mutex;
  std::map<std::string, int> ends;
  int false_feasible = 0, false_infeasible = 0;
  for_each(count, threads, [&](int i) {
    const RandomProblem random = random_problem(static_cast<std::uint64_t>(i));
    const Outcome outcome = run_honestly(random.problem);
    const Status status = outcome.result.status;
    const bool wrong_feasible = is_false_feasible(outcome);
    const bool wrong_infeasible = status == Status::infeasible;  // learners prove nothing
    const std::lock_guard lock(mutex);
    ++ends[fmt::format("room {:+.1f}%: {}", 100 * random.room, to_string(status))];
    false_feasible += wrong_feasible;
    false_infeasible += wrong_infeasible;
    if (wrong_feasible || wrong_infeasible)
      fmt::print("random {}: {}, but {} away\n", i, to_string(status), outcome.distance);
  });
  for (const auto& [end, number] : ends) fmt::print("{:30} {}\n", end, number);
  fmt::print("{} problems: {} falsely feasible, {} falsely infeasible\n", count, false_feasible,
             false_infeasible);
  return false_feasible + false_infeasible == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  int seeds = 50, threads = 2, random = 0;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--seeds")) seeds = std::stoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--threads")) threads = std::stoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--random")) random = std::stoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--only")) only = argv[i + 1];
  }
  if (argc % 2 == 0) {
    fmt::print(
        "honesty_bench [--seeds 50] [--threads 2] [--only TEXT | --random N]: rows whose name has this "
        "text\n");
    return 2;
  }
  if (random > 0) return run_random(random, threads);
  int claims = 0, false_claims = 0, false_infeasible = 0, worst = 0, with_room = 0, found = 0;
  for (const HonestWorld& world : honest_worlds()) {
    const Corner corner = touching_corner(world);
    for (const std::string& oracle : world.oracles) {
      for (const Room& room : kRooms) {
        const std::string row =
            fmt::format("{} | {} | {}", world.name, oracle.substr(0, oracle.find('\n')), room.name);
        if (row.find(only) == std::string::npos) continue;
        const Tally tally = run(world, corner, room, oracle, seeds, threads);
        report(row, tally);
        int inside = 0;
        for (const char* word : {"feasible", "optimal"})
          if (tally.ends.contains(word)) inside += tally.ends.at(word);
        claims += inside;
        false_claims += tally.false_feasible;
        false_infeasible += tally.false_infeasible;
        worst = std::max(worst, tally.false_feasible);
        if (room.part > 0) {
          with_room += seeds;
          found += inside;
        }
      }
    }
  }
  fmt::print(
      "{} claims, {} false (at most {} of {} in a row); {} false infeasible; {} of {} with room found\n",
      claims, false_claims, worst, seeds, false_infeasible, found, with_room);
  return false_claims == 0 && false_infeasible == 0 ? 0 : 1;
}

}  // namespace
}  // namespace c2rl

int main(int argc, char** argv) {
  return c2rl::main(argc, argv);
}
