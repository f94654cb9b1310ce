// The exact oracle on models that are not deterministic, next to value iteration in SciPy on the same models, to
// the same proven gap, in the same run, both on one core. Cold: the oracle is made and asked once, exact
// evaluation of its answer included, which SciPy's loop does not do. Next: the mean of four more calls in
// directions that turn by a tenth of a radian, each started from the answer before.
//   planning_bench [--only MODEL] [--smallest N] [--largest N] [--python PYTHON] [--peers storm quantecon ...]
// Peers: pip install scipy stormpy quantecon. madupite is in no registry, so it has no row.

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

#include "c2rl/environments/umb.h"
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

/// A model for others to read: its arrays as they are, what choices cost, and both as UMB.
class Exported {
 public:
  Exported(const TabularModel& model, const Vector& direction, bool with_umb)
      : folder_(std::filesystem::temp_directory_path() / fmt::format("c2rl_planning_{}", getpid())) {
    std::filesystem::create_directories(folder_);
    const std::vector<double> cost = ScalarProblem(model, direction, Ties::first, Rng(0)).cost;
    dump(folder_ / "choice_begin", model.choice_begin);
    dump(folder_ / "transition_begin", model.transition_begin);
    dump(folder_ / "next", model.next);
    dump(folder_ / "probability", model.probability);
    dump(folder_ / "start", model.start);
    dump(folder_ / "cost", cost);
    if (!with_umb) return;
    TabularModel scalar = model;
    scalar.measurements = {"cost"};
    scalar.measurement.resize(1, model.transitions());
    for (int k = 0; k < model.choices(); ++k) {
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        scalar.measurement(0, e) = cost[k];
    }
    dump(folder_ / "model.umb", to_umb(scalar));
  }
  ~Exported() { std::filesystem::remove_all(folder_); }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;

  /// The last line that a program says of it, given `arguments` behind the folder.
  std::string ask(const std::string& program, const std::string& arguments) const {
    const std::string command =
        fmt::format("OMP_NUM_THREADS=1 {} {} {} 2>/dev/null", program, folder_.string(), arguments);
    std::string said;
    if (FILE* const pipe = popen(command.c_str(), "r")) {
      for (std::array<char, 256> part; std::fgets(part.data(), part.size(), pipe);) said = part.data();
      pclose(pipe);
    }
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return said;
  }

 private:
  std::filesystem::path folder_;
};

/// Seconds that reading the model's arrays once takes: no planner that looks at them can be faster.
double stream(const TabularModel& model) {
  double best = kInfinity;
  for (int i = 0; i < 5; ++i) {
    const double start = seconds();
    std::int64_t sum = 0;
    for (const std::int32_t next : model.next) sum += next;
    double mass = 0;
    for (const double p : model.probability) mass += p;
    volatile double sink = mass + static_cast<double>(sum);
    (void)sink;
    best = std::min(best, seconds() - start);
  }
  return best;
}

/// Of the processor, that another peer may take.
constexpr int kPeersSeconds = 300;

Vector turned(double angle) {
  return Vector{{std::cos(angle), std::sin(angle)}};
}

struct Choice {
  int smallest = 0, largest = 1'000'000;
  std::string only, python = "python3";
  std::vector<std::string> peers;
};

void measure(const std::string& name, const ModelPtr& model, const Choice& choice) {
  constexpr double kAngle = 0.6, kTurn = 0.1;
  constexpr int kNext = 4;
  double start = seconds();
  const DynamicProgramming oracle(model);
  const double made = seconds() - start;
  start = seconds();
  const OracleAnswer first = oracle.minimize(turned(kAngle), Rng(0));
  const double call = seconds() - start;
  const double cold = made + call;
  start = seconds();
  OracleCall next{.direction = turned(kAngle), .rng = Rng(0), .start = first.policy};
  for (int i = 1; i <= kNext; ++i) {
    next.direction = turned(kAngle + kTurn * i);
    next.start = oracle.minimize(next).policy;
  }
  const double later = (seconds() - start) / kNext;
  const double longest = model->horizon > 0 ? 0 : longest_episode(*model, StateOrder(*model));
  const Exported exported(*model, turned(kAngle), !choice.peers.empty());
  const std::string scripts = fmt::format("{} {}/bench/planning", choice.python, C2RL_SOURCE_DIR);
  std::string peer = exported.ask(
      scripts + "/scipy_sweeps.py",
      fmt::format("{:.17g} {} {:.17g} {:.17g}", model->discount, model->horizon, first.slack, longest));
  double of_scipy = 0, gap = 0;
  int sweeps = 0;
  if (std::sscanf(peer.c_str(), "%lf s %d sweeps gap %lf", &of_scipy, &sweeps, &gap) == 3) {
    peer = fmt::format("{:>8.3f} {:>7} {:>9.1e} {}{:>7.1f}", of_scipy, sweeps, gap,
                       gap > 1.01 * first.slack ? ">" : " ", of_scipy / cold);
  }
  fmt::print("{:<24} {:>8} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.1f} {:>9.1e}  {}\n", name, model->states, cold,
             call, later, cold / stream(*model), first.slack, peer);
  const double value = turned(kAngle).dot(first.measurement);
  for (const std::string& who : choice.peers) {
    const std::string said = exported.ask(
        fmt::format("{}/peers.py {}", scripts, who),
        fmt::format("{:.17g} {} {:.17g} {}", model->discount, model->horizon, first.slack, kPeersSeconds));
    double of_peer = 0, found = 0;
    if (std::sscanf(said.c_str(), "%lf s value %lf", &of_peer, &found) == 2) {
      fmt::print("    {:<20} {:>8} {:>8.3f} s, {:.1f} times ours; its value is {:+.1e} of ours away\n", who,
                 "", of_peer, of_peer / cold, (found - value) / std::abs(value));
    } else {
      fmt::print("    {:<20} {:>8} {}\n", who, "",
                 said.empty() ? fmt::format("not within {} s, building included", kPeersSeconds) : said);
    }
    std::fflush(stdout);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Choice choice;
  CLI::App app("The exact oracle beside other planners");
  app.add_option("--only", choice.only, "models whose name holds this");
  app.add_option("--smallest", choice.smallest, "states of the smallest models");
  app.add_option("--largest", choice.largest, "states of the largest models");
  app.add_option("--python", choice.python, "a Python that has SciPy, and the peers");
  app.add_option("--peers", choice.peers, "storm, quantecon: those to ask, too");
  CLI11_PARSE(app, argc, argv);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  fmt::print(
      "Processor seconds, one core. cold: oracle made and asked once, J of the answer included; call: of "
      "that, the "
      "call; next: later calls;\nstreams: cold, in times of reading the model's transitions once; gap: "
      "proven. SciPy: value "
      "iteration to that gap, with MacQueen's\nbounds; ratio: SciPy / cold, '>' where SciPy did not get "
      "there. Storm is "
      "asked for a millionth of the value.\n\n");
  fmt::print("{:<24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}  {:>8} {:>7} {:>9} {:>8}\n", "model", "states",
             "cold", "call", "next", "streams", "gap", "SciPy", "sweeps", "gap", "ratio");
  const auto row = [&](const std::string& name, int states, auto make) {
    if (states < choice.smallest || states > choice.largest || name.find(choice.only) == std::string::npos)
      return;
    measure(name, make(), choice);
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
