// The exact oracle on models that are not deterministic, next to value iteration in SciPy on the same models, to
// the same proven gap, in the same run, both on one core; and next to other planners. Cold: the oracle is made and asked
// once, exact evaluation of its answer included, which SciPy's loop does not do. Next: the mean of four more calls in
// directions that turn by a tenth of a radian, each started from the answer before. Solve: the mean of the calls after the
// first of a whole solve, which asks for a thousandth less of all measurements than its first answer has, and their number.
// storm-multi is Storm's multi-objective engine, asked for the least of one measurement under a limit on the other, beside a
// whole solve of the same.
//   planning_bench [--only MODEL] [--smallest N] [--largest N] [--python PYTHON] [--peers storm ...] [--seconds N]
// Peers: pip install scipy stormpy quantecon pymdptoolbox. A peer that is not there says so in its row.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include "c2rl/mdp/model.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/planning/optimum.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/solve.h"
#include "exported_model.h"
#include "planning_models.h"

namespace {

using namespace c2rl;

/// Of the processor: what else runs on the machine takes none of it.
double seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Of this process, in bytes: `VmRSS` now, `VmHWM` at the most since it was forgotten.
double memory(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(what + ":")) return 1024 * std::strtod(line.c_str() + what.size() + 1, nullptr);
  }
  return 0;
}

double bytes(const TabularModel& model) {
  return static_cast<double>(sizeof(std::int32_t)) *
             static_cast<double>(model.next.size() + model.choice_begin.size() +
                                 model.transition_begin.size()) +
         static_cast<double>(sizeof(double)) *
             static_cast<double>(model.probability.size() + model.measurement.size() + model.start.size());
}

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

constexpr double kAngle = 0.6, kTurn = 0.1;  // of the first direction, and to the next

Vector turned(double angle) {
  return Vector{{std::cos(angle), std::sin(angle)}};
}

struct Choice {
  int smallest = 0, largest = 1'000'000;
  int seconds = 60;  // of the processor, that a peer may take
  std::string only, python = "python3";
  std::vector<std::string> peers = {"storm", "storm-multi", "quantecon", "pymdptoolbox", "madupite"};

  bool asks(const std::string& peer) const { return std::ranges::find(peers, peer) != peers.end(); }
};

/// The least of the first measurement that a mixture can have which has no more than so much of the second: half way from
/// what is least of it to what the least of the first comes with.
struct Constrained {
  double bound = 0, tolerance = 0, seconds = 0, value = 0;
  int calls = 0;
};

/// When the calls of a solve were finished.
class CallTimes final : public SolveListener {
 public:
  bool call_finished(const CallRecord&) override {
    finished_.push_back(seconds());
    return true;
  }
  /// Of those after the first.
  int later() const { return static_cast<int>(finished_.size()) - 1; }
  double seconds_of_later() const {
    return later() > 0 ? (finished_.back() - finished_.front()) / later() : kInfinity;
  }

 private:
  std::vector<double> finished_;
};

/// A solve of the model as it is brought; the section stands for it.
Result solve_for(const ModelPtr& model, const std::string& rest, SolveListener& listener) {
  const Config config =
      Config::parse(fmt::format("[environment]\nkind = 'garnet'\nstates = 2\n{}", rest), "bench");
  const Problem problem = read_problem(config, {.world = make_world(model)});
  return solve(problem, nullptr, listener);
}

CallTimes solve_for_less(const ModelPtr& model, const Vector& measured) {
  constexpr double kLess = 1e-3;
  std::string limits;
  for (int i = 0; i < model->dim(); ++i) {
    limits += fmt::format("{}'{} <= {:.17g}'", i == 0 ? "" : ", ", model->measurements[i],
                          measured[i] - kLess * std::abs(measured[i]));
  }
  CallTimes times;
  solve_for(model, fmt::format("[target]\nconstraints = [{}]\n", limits), times);
  return times;
}

Constrained solve_constrained(const ModelPtr& model) {
  Constrained found;
  {
    const DynamicProgramming oracle(model);
    const Vector first = oracle.minimize(Vector{{1.0, 0.0}}, Rng(0)).measurement;
    const Vector second = oracle.minimize(Vector{{0.0, 1.0}}, Rng(0)).measurement;
    found.bound = (first[1] + second[1]) / 2;
    found.tolerance = 1e-6 * first[0];
  }
  SolveListener listener;
  const double start = seconds();
  const Result result = solve_for(
      model,
      fmt::format(
          "[target]\nminimize = '{}'\nconstraints = ['{} <= {:.17g}']\n[solver]\ntolerance = {:.17g}\n",
          model->measurements[0], model->measurements[1], found.bound, found.tolerance),
      listener);
  found.seconds = seconds() - start;
  found.value = result.status == Status::optimal ? result.measurement[0] : kInfinity;
  found.calls = result.oracle_calls;
  return found;
}

/// A peer's row: what it said of `seconds` and `value`, beside ours.
void print_peer(const std::string& who, const std::string& said, double ours, double value, int limit,
                const std::string& of_what) {
  double of_peer = 0, found = 0;
  std::string s, named;
  if (std::istringstream(said) >> of_peer >> s >> named >> found) {
    fmt::print("    {:<29} {:>8.3f} s, {:.1f} times ours{}; its value is {:+.1e} of ours away\n", who,
               of_peer, of_peer / ours, of_what, (found - value) / std::abs(value));
  } else {
    fmt::print("    {:<29} {}{}\n", who,
               said.empty() ? fmt::format("not within {} s, building included", limit) : said, of_what);
  }
  std::fflush(stdout);
}

void ask_peers(const ModelPtr& model, const Exported& exported, const OracleAnswer& answer,
               const Vector& direction, double cold, const std::string& scripts, const Choice& choice) {
  for (const std::string& who : choice.peers) {
    const bool constrained = who == "storm-multi";
    const Constrained ours = constrained ? solve_constrained(model) : Constrained();
    const std::string said =
        exported.ask(fmt::format("{}/peers.py {}", scripts, who),
                     fmt::format("{:.17g} {} {:.17g} {} {:.17g} {} {}", model->discount, model->horizon,
                                 constrained ? ours.tolerance : answer.slack, choice.seconds, ours.bound,
                                 model->measurements[0], model->measurements[1]));
    if (constrained) {
      print_peer(who, said, ours.seconds, ours.value, choice.seconds,
                 fmt::format(" ({:.3f} s, {} calls)", ours.seconds, ours.calls));
    } else {
      print_peer(who, said, cold, direction.dot(answer.measurement), choice.seconds, "");
    }
  }
}

/// The most memory, in bytes, that an oracle and two calls take beside the model. In a process of its own: what is given back to the
/// system here would have to be asked for again by whoever is timed next.
double memory_of_calls(const ModelPtr& model) {
  int pipe_of[2];
  if (pipe(pipe_of) != 0) return kInfinity;
  const pid_t child = fork();
  if (child == 0) {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";  // forgets the most so far
    const double before = memory("VmRSS");
    const DynamicProgramming oracle(model);
    OracleCall call{.direction = turned(kAngle), .rng = Rng(0)};
    call.start = oracle.minimize(call).policy;
    call.direction = turned(kAngle + kTurn);
    oracle.minimize(call);
    const double most = memory("VmHWM") - before;
    _exit(write(pipe_of[1], &most, sizeof(most)) == sizeof(most) ? 0 : 1);
  }
  double most = kInfinity;
  close(pipe_of[1]);
  if (read(pipe_of[0], &most, sizeof(most)) != sizeof(most)) most = kInfinity;
  close(pipe_of[0]);
  waitpid(child, nullptr, 0);
  return most;
}

/// A child takes as much memory as a model and planning on it, and gives it back: on a virtual machine memory that nobody has had
/// yet costs several times as much as memory that is only new to a process, which would be in whatever is timed first.
void fetch_memory(const TabularModel& model) {
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<char> memory(static_cast<std::size_t>(2 * bytes(model)), 1);
    _exit(memory.back());
  }
  waitpid(child, nullptr, 0);
}

void measure(const std::string& name, const ModelPtr& model, const Choice& choice) {
  constexpr int kNext = 4;
  fetch_memory(*model);
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
  const CallTimes solved = solve_for_less(model, oracle.minimize(Vector{{1.0, 1.0}}, Rng(0)).measurement);
  const double longest = model->horizon > 0 ? 0 : longest_episode(*model, StateOrder(*model));
  const Exported exported(*model, turned(kAngle), choice.asks("storm"), choice.asks("storm-multi"));
  const std::string scripts = fmt::format("{} {}/bench/planning", choice.python, C2RL_SOURCE_DIR);
  std::string peer = exported.ask(
      scripts + "/scipy_sweeps.py",
      fmt::format("{:.17g} {} {:.17g} {:.17g}", model->discount, model->horizon, first.slack, longest));
  double of_scipy = 0, gap = 0;
  int sweeps = 0;
  std::string s, swept, named;
  if (std::istringstream(peer) >> of_scipy >> s >> sweeps >> swept >> named >> gap) {
    peer = fmt::format("{:>8.3f} {:>7} {:>9.1e} {}{:>7.1f}", of_scipy, sweeps, gap,
                       gap > 1.01 * first.slack ? ">" : " ", of_scipy / cold);
  }
  fmt::print("{:<24} {:>8} {:>8.4f} {:>8.4f} {:>8.4f} {:>8.4f} {:>3} {:>8.1f} {:>7.2f} {:>9.1e}  {}\n", name,
             model->states, cold, call, later, solved.seconds_of_later(), solved.later(),
             cold / stream(*model), memory_of_calls(model) / bytes(*model), first.slack, peer);
  std::fflush(stdout);
  ask_peers(model, exported, first, turned(kAngle), cold, scripts, choice);
}

}  // namespace

int main(int argc, char** argv) {
  Choice choice;
  CLI::App app("The exact oracle beside other planners");
  app.add_option("--only", choice.only, "models whose name holds this");
  app.add_option("--smallest", choice.smallest, "states of the smallest models");
  app.add_option("--largest", choice.largest, "states of the largest models");
  app.add_option("--python", choice.python, "a Python that has SciPy, and the peers");
  app.add_option("--peers", choice.peers, "those to ask, too, or none")
      ->check(CLI::IsMember({"storm", "storm-multi", "quantecon", "pymdptoolbox", "madupite", "none"}));
  app.add_option("--seconds", choice.seconds, "of the processor, that a peer may take for a row");
  CLI11_PARSE(app, argc, argv);
  std::erase(choice.peers, "none");
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  fmt::print(
      "Processor seconds, one core. cold: oracle made and asked once, J of the answer included; call: of "
      "that,\n"
      "the call; next: later calls in directions that turn by a tenth; solve: later calls of a whole solve, "
      "and\n"
      "their number; streams: cold, in times of reading the model's transitions once; memory: the most "
      "beside\n"
      "the model's arrays, in times of these; gap: proven. SciPy: value iteration to that gap, with "
      "MacQueen's\n"
      "bounds; ratio: SciPy / cold, '>' where SciPy did not get there. Storm is asked for a millionth of "
      "the\n"
      "value.\n\n");
  fmt::print("{:<24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>3} {:>8} {:>7} {:>9}  {:>8} {:>7} {:>9} {:>8}\n",
             "model", "states", "cold", "call", "next", "solve", "", "streams", "memory", "gap", "SciPy",
             "sweeps", "gap", "ratio");
  // What a program does once, before the clock runs; as SciPy is imported before it does there.
  DynamicProgramming(garnet(1000, 0.9)).minimize(turned(kAngle), Rng(0));
  const auto row = [&](const std::string& name, int states, auto make) {
    if (states < choice.smallest || states > choice.largest || name.find(choice.only) == std::string::npos)
      return;
    measure(name, make(), choice);
  };
  for (const int states : {10'000, 100'000, 1'000'000}) {
    for (const double discount : {0.9, 0.99, 0.999})
      row(fmt::format("garnet, {}", discount), states, [&] { return garnet(states, discount); });
  }
  for (const int states : {100'000, 1'000'000}) {
    for (const double discount : {0.9, 0.99, 0.999})
      row(fmt::format("garnet of three, {}", discount), states,
          [&] { return garnet(states, discount, 0, 3); });
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
