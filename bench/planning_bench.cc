// The exact oracle on models that are not deterministic, next to value iteration in SciPy on the same models, to
// the same proven gap, in the same run, both on one core. Cold: the oracle is made and asked once, exact
// evaluation of its answer included, which SciPy's loop does not do. Next: the mean of four more calls in
// directions that turn by a tenth of a radian, each started from the answer before.
//   planning_bench [--only MODEL] [--smallest N] [--largest N] [--python PYTHON]

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/model_builder.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/planning/optimum.h"

namespace {

using namespace c2rl;
using ModelPtr = std::shared_ptr<const TabularModel>;

/// Of the processor: what else runs on the machine takes none of it.
double seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

ModelPtr finished(ModelBuilder builder, int states, double discount, int horizon = 0) {
  TabularModel model = std::move(builder).finish(Vector::Unit(states, 0));
  model.discount = discount;
  model.horizon = horizon;
  validate(model);
  return std::make_shared<const TabularModel>(std::move(model));
}

/// Four actions with five random successors each.
ModelPtr garnet(int states, double discount, int horizon = 0) {
  ModelBuilder builder({"m1", "m2"});
  Rng rng(1);
  for (int s = 0; s < states; ++s) {
    for (int a = 0; a < 4; ++a) {
      const Vector amount{{rng.uniform(), rng.uniform()}};
      std::array<double, 5> weight;
      double sum = 0;
      for (double& w : weight) sum += w = -std::log1p(-rng.uniform());
      for (const double w : weight)
        builder.add_transition(static_cast<int>(rng.below(states)), w / sum, amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  return finished(std::move(builder), states, discount, horizon);
}

/// A grid whose moves go astray, one in five, to either side; undiscounted. Now and then, about once in twice the
/// way from corner to corner, an episode breaks off, so that all of them end. (steps, risk).
ModelPtr slippery_grid(int side) {
  ModelBuilder builder({"steps", "risk"});
  const int cells = side * side, lost = cells;
  const double breaks = 1.0 / (4 * side);
  for (int s = 0; s < cells; ++s) {
    if (s == cells - 1) {
      builder.end_state();
      continue;
    }
    const int x = s % side, y = s / side;
    const std::array<int, 4> moves = {y > 0 ? s - side : s, x + 1 < side ? s + 1 : s,
                                      y + 1 < side ? s + side : s, x > 0 ? s - 1 : s};
    for (int a = 0; a < 4; ++a) {
      const auto add = [&](int to, double p) {
        const bool risky = (to / side) % 3 == 1 && (to % side) % 7 == 3;
        builder.add_transition(to, p, Vector{{1.0, risky ? 1.0 : 0.0}});
      };
      add(moves[a], (1 - breaks) * 0.8);
      add(moves[(a + 1) % 4], (1 - breaks) * 0.1);
      add(moves[(a + 3) % 4], (1 - breaks) * 0.1);
      builder.add_transition(lost, breaks, Vector{{1.0, 10.0}});
      builder.end_choice();
    }
    builder.end_state();
  }
  builder.end_state();
  return finished(std::move(builder), cells + 1, 1);
}

/// A walk to and fro with hardly a drift, discounted by so little that it mixes first, after about the square of
/// its length. Two paces, at different costs.
ModelPtr slow_chain(int states) {
  ModelBuilder builder({"m1", "m2"});
  Rng rng(2);
  for (int s = 0; s < states; ++s) {
    for (const double pace : {1.0, 0.5}) {
      const Vector amount{{rng.uniform(), rng.uniform()}};
      builder.add_transition(std::max(0, s - 1), 0.5 * pace, amount);
      builder.add_transition(std::min(states - 1, s + 1), 0.5 * pace, amount);
      if (pace < 1) builder.add_transition(s, 1 - pace, amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  return finished(std::move(builder), states, 1 - 1e-6);
}

/// Random models of a hundred states, each of which can be stayed in for ever or left for a later one.
ModelPtr rooms(int states, double discount) {
  constexpr int kRoom = 100;
  ModelBuilder builder({"m1", "m2"});
  Rng rng(3);
  for (int s = 0; s < states; ++s) {
    const int first = s / kRoom * kRoom, size = std::min(kRoom, states - first);
    for (int a = 0; a < 4; ++a) {
      const Vector amount{{rng.uniform(), rng.uniform()}};
      const double p = 0.2 + 0.6 * rng.uniform();
      builder.add_transition(first + static_cast<int>(rng.below(size)), p, amount);
      const bool stays = a < 3 || first + size >= states;
      const int to = stays
                         ? first + static_cast<int>(rng.below(size))
                         : first + size + static_cast<int>(rng.below(std::min(kRoom, states - first - size)));
      builder.add_transition(to, 1 - p, amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  return finished(std::move(builder), states, discount);
}

template <typename Array>
void dump(const std::filesystem::path& file, const Array& array) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(array.data()),
            static_cast<std::streamsize>(array.size() * sizeof(*array.data())));
}

/// What bench/planning_scipy.py says of the same model: seconds, sweeps and the gap it got to, or why not.
std::string ask_scipy(const std::string& python, const TabularModel& model, const Vector& direction,
                      double gap, double longest) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("c2rl_planning_{}", getpid());
  std::filesystem::create_directories(folder);
  dump(folder / "choice_begin", model.choice_begin);
  dump(folder / "transition_begin", model.transition_begin);
  dump(folder / "next", model.next);
  dump(folder / "probability", model.probability);
  dump(folder / "start", model.start);
  dump(folder / "cost", ScalarProblem(model, direction, Ties::first, Rng(0)).cost);
  const std::string command =
      fmt::format("OMP_NUM_THREADS=1 {} {}/bench/planning_scipy.py {} {} {} {:.17g} {:.17g} 2>&1", python,
                  C2RL_SOURCE_DIR, folder.string(), model.discount, model.horizon, gap, longest);
  std::string said;
  if (FILE* const pipe = popen(command.c_str(), "r")) {
    for (std::array<char, 256> part; std::fgets(part.data(), part.size(), pipe);) said = part.data();
    pclose(pipe);
  }
  std::filesystem::remove_all(folder);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said;
}

Vector turned(double angle) {
  return Vector{{std::cos(angle), std::sin(angle)}};
}

void measure(const std::string& name, const ModelPtr& model, const std::string& python) {
  constexpr double kAngle = 0.6, kTurn = 0.1;
  constexpr int kNext = 4;
  double start = seconds();
  const DynamicProgramming oracle(model);
  const double made = seconds() - start;
  start = seconds();
  const OracleAnswer first = oracle.minimize(turned(kAngle), Rng(0));
  const double call = seconds() - start;
  start = seconds();
  evaluate(*model, *first.policy);
  const double evaluating = seconds() - start;
  start = seconds();
  OracleCall next{.direction = turned(kAngle), .rng = Rng(0), .start = first.policy};
  for (int i = 1; i <= kNext; ++i) {
    next.direction = turned(kAngle + kTurn * i);
    next.start = oracle.minimize(next).policy;
  }
  const double later = (seconds() - start) / kNext;
  const double longest = model->horizon > 0 ? 0 : longest_episode(*model, StateOrder(*model));
  const std::string said = ask_scipy(python, *model, turned(kAngle), first.slack, longest);
  double of_scipy = 0, gap = 0;
  int sweeps = 0;
  std::string peer = said;
  if (std::sscanf(said.c_str(), "%lf s %d sweeps gap %lf", &of_scipy, &sweeps, &gap) == 3) {
    peer = fmt::format("{:>8.3f} {:>7} {:>9.1e} {}{:>7.1f}", of_scipy, sweeps, gap,
                       gap > 1.01 * first.slack ? ">" : " ", of_scipy / (made + call));
  }
  fmt::print("{:<24} {:>8} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>9.1e}  {}\n", name, model->states,
             made + call, call, later, evaluating, first.slack, peer);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int smallest = 0, largest = 1'000'000;
  std::string only, python = "python3";
  CLI::App app("The exact oracle beside value iteration in SciPy");
  app.add_option("--only", only, "models whose name holds this");
  app.add_option("--smallest", smallest, "states of the smallest models");
  app.add_option("--largest", largest, "states of the largest models");
  app.add_option("--python", python, "a Python that has SciPy");
  CLI11_PARSE(app, argc, argv);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  fmt::print(
      "Processor seconds, one core. cold: oracle made and asked once; call: of that, the call; next: later "
      "calls; evaluate: of a\ncall, J of its answer; gap: proven. SciPy: value iteration to that gap, with "
      "MacQueen's bounds; ratio: SciPy / cold, '>' where\nSciPy did not get there\n\n");
  fmt::print("{:<24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}  {:>8} {:>7} {:>9} {:>8}\n", "model", "states",
             "cold", "call", "next", "evaluate", "gap", "SciPy", "sweeps", "gap", "ratio");
  const auto row = [&](const std::string& name, int states, auto make) {
    if (states < smallest || states > largest || name.find(only) == std::string::npos) return;
    measure(name, make(), python);
  };
  for (const int states : {10'000, 100'000, 1'000'000}) {
    for (const double discount : {0.9, 0.99, 0.999})
      row(fmt::format("garnet, {}", discount), states, [&] { return garnet(states, discount); });
  }
  for (const int side : {100, 316, 1000})
    row("slippery grid", side * side, [&] { return slippery_grid(side); });
  for (const int states : {500, 100'000})
    row("slow chain, 0.999999", states, [&] { return slow_chain(states); });
  for (const int states : {10'000, 1'000'000})
    row("rooms, 0.99", states, [&] { return rooms(states, 0.99); });
  for (const int states : {10'000, 100'000})
    row("garnet, horizon 50", states, [&] { return garnet(states, 1, 50); });
}
