// The exact oracle on deterministic grids against the memory's limit: one call, exact evaluation of its
// answer included, next to streaming the model's arrays once per sweep on as many threads.

#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "c2rl/mdp/model.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/planning/optimum.h"

namespace {

using namespace c2rl;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// side x side cells, four moves, start in one corner and goal in the other; (steps, risk) with every seventh
/// cell of every third row risky; cut after four times the side.
TabularModel grid(int side) {
  TabularModel model;
  model.measurements = {"steps", "risk"};
  model.states = side * side;
  const int goal = model.states - 1;
  const int transitions = 4 * (model.states - 1);
  model.next.reserve(transitions);
  model.choice_begin.reserve(model.states + 1);
  model.transition_begin.reserve(transitions + 1);
  model.measurement.resize(2, transitions);
  for (int s = 0; s < model.states; ++s) {
    if (s != goal) {
      const int x = s % side, y = s / side;
      for (const int to :
           {y > 0 ? s - side : s, x + 1 < side ? s + 1 : s, y + 1 < side ? s + side : s, x > 0 ? s - 1 : s}) {
        const bool risky = (to / side) % 3 == 1 && (to % side) % 7 == 3;
        model.measurement.col(static_cast<int>(model.next.size())) << 1, risky;
        model.next.push_back(to);
        model.transition_begin.push_back(static_cast<int>(model.next.size()));
      }
    }
    model.choice_begin.push_back(static_cast<int>(model.transition_begin.size()) - 1);
  }
  model.probability.assign(transitions, 1.0);
  model.start = Vector::Unit(model.states, 0);
  model.horizon = 4 * side;
  return model;
}

template <typename Array>
std::span<const std::uint64_t> words(const Array& array) {
  return {reinterpret_cast<const std::uint64_t*>(array.data()), array.size() * sizeof(*array.data()) / 8};
}

std::uint64_t read_all(std::span<const std::uint64_t> array) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, array.size(), 1 << 16), std::uint64_t{0},
      [&](const tbb::blocked_range<std::size_t>& range, std::uint64_t sum) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) sum += array[i];
        return sum;
      },
      std::plus<>());
}

struct Arrays {
  std::vector<std::span<const std::uint64_t>> all;
  double bytes = 0;

  explicit Arrays(const TabularModel& model)
      : all{words(model.choice_begin), words(model.transition_begin), words(model.next),
            words(model.probability),  words(model.measurement),      words(model.start)} {
    for (const auto& array : all) bytes += static_cast<double>(array.size_bytes());
  }

  std::uint64_t stream() const {
    std::uint64_t sum = 0;
    for (const auto& array : all) sum += read_all(array);
    return sum;
  }
};

/// The least time of repetitions that together take at least half a second.
template <typename Work>
double best_seconds(Work work) {
  double best = kInfinity;
  for (const auto begin = Clock::now(); seconds_since(begin) < 0.5;) {
    const auto start = Clock::now();
    work();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

/// Resident bytes of this process: the most since the last reset, or now.
double resident_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return 1024 * std::stod(line.substr(field.size() + 1));
  }
  return 0;
}
void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

void measure(int side) {
  const double before = resident_bytes("VmRSS");
  const auto model = std::make_shared<TabularModel>(grid(side));
  validate(*model);
  const Arrays arrays(*model);
  std::uint64_t checksum = 0;
  const double stream = best_seconds([&] { checksum += arrays.stream(); });
  const auto print = [&](const char* method, int sweeps, double call, const Vector& found) {
    fmt::print("{:>9} {:<20} {:>6} {:>11.3f} {:>10.4f} {:>7.2f} {:>9.1f} {:>12.2f}   ({}, {})\n",
               model->states, method, sweeps, 1e3 * call, 1e3 * stream, call / (std::max(1, sweeps) * stream),
               call / stream, (resident_bytes("VmHWM") - before) / arrays.bytes, found[0], found[1]);
  };

  const Vector direction{{1.0, 2.5}};
  const BlockGraph graph(*model);
  Optimum optimum;
  reset_peak();
  const double sweeping = best_seconds([&] {
    const ScalarProblem problem(*model, direction, Ties::shortest, Rng(checksum));
    optimum = backward_induction(*model, graph, problem, direction);
  });
  print("backward induction", optimum.sweeps, sweeping, optimum.evaluation.measurement);

  const DynamicProgramming oracle(model);
  OracleAnswer answer;
  reset_peak();
  const double call = best_seconds([&] { answer = oracle.minimize(direction, Rng(checksum)); });
  print("oracle (paths)", 0, call, answer.measurement);
}

}  // namespace

int main() {
  fmt::print(
      "Deterministic grids, direction (1, 2.5), exact evaluation of the answer included. stream: the model's "
      "arrays read once;\nratio: call / (sweeps x stream); streams: call / stream; memory: peak with the "
      "model "
      "/ model\n\n");
  fmt::print("{:>9} {:<20} {:>6} {:>11} {:>10} {:>7} {:>9} {:>12}   {}\n", "states", "method", "sweeps",
             "call ms", "stream ms", "ratio", "streams", "memory/model", "J");
  for (const int side : {32, 100, 316, 1000}) measure(side);
}
