// Training on several ranks, all of which step its episodes, against the price of a step: that of a world here, or of one in
// which every step computes for so many microseconds more, as a simulator would.
//   training_bench [--only WORDS]
//   mpirun -n 2 --bind-to core training_bench ...
// Seconds are those of the clock. The last column is the same wherever the same was learnt, to the bit.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "c2rl/base/config.h"
#include "c2rl/base/sha256.h"
#include "c2rl/base/stopwatch.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/helpers.h"
#include "c2rl/run/problem.h"
#include "mpi_ranks.h"

namespace {

using namespace c2rl;

constexpr int kTurnsPerMicrosecond = 250;  // about; what it is, the table says

/// Computes; the result depends on it, so that no compiler leaves it out.
double compute(int turns) {
  volatile double start = 0.3;
  double x = start;
  for (int i = 0; i < turns; ++i) x = 3.7 * x * (1 - x);
  return x;
}

/// An environment whose steps take longer.
class Dear final : public Environment {
 public:
  Dear(const World& world, int batch, int microseconds)
      : Environment(batch, world.dim(), world.horizon, world.features, world.controls),
        inner_(world.environment(batch)),
        turns_(microseconds * kTurnsPerMicrosecond) {}

  int state_count() const override { return inner_->state_count(); }
  int action_count(int state) const override { return inner_->action_count(state); }

 private:
  void begin(int slot) override {
    inner_->reset(slot, streams_[slot]);
    take(slot);
  }
  void advance(const Actions& actions) override {
    for (int slot = 0; slot < batch(); ++slot) {
      if (!ended(slot) && compute(turns_) > 1) throw std::logic_error("the map has left its interval");
    }
    inner_->step(actions);
    for (int slot = 0; slot < batch(); ++slot) take(slot);
  }
  void take(int slot) {
    states_[slot] = inner_->states()[slot];
    features_.col(slot) = inner_->features().col(slot);
    measurement_.col(slot) = inner_->measurement().col(slot);
    terminated_[slot] = inner_->terminated(slot);
  }

  std::unique_ptr<Environment> inner_;
  int turns_;
};

struct Row {
  std::string world, oracle;
  int environments = 8, microseconds = 0;
  std::int64_t steps = 0;
};

void measure(const Row& row, Ranks& ranks) {
  const Config config =
      Config::parse(fmt::format("[environment]\n{}\n[target]\nconstraints = ['steps <= 1000']\n[oracle]\n"
                                "kind = '{}'\nenvironments = {}\ntraining_steps = {}\nchecks = 1\n"
                                "evaluation_episodes = 2\nearly_stop = false\n",
                                row.world, row.oracle, row.environments, row.steps),
                    "bench");
  Provided provided{.ranks = ranks};
  if (row.microseconds > 0) {
    const World plain = make_world(config.section("environment"));
    provided.world = plain;
    provided.world->environment = [plain, microseconds = row.microseconds](int batch) {
      return std::make_unique<Dear>(plain, batch, microseconds);
    };
  }
  const Problem problem = read_problem(config, provided);
  if (!ranks.is_first()) return help(problem, ranks);
  const Helpers helpers(ranks);
  double step = 0;  // what one takes, on one rank
  {
    const auto alone = problem.world.environment(row.environments);
    const int some = std::min(2000, 200'000 / std::max(1, row.microseconds) / row.environments + 20);
    const std::vector<int> chosen(static_cast<std::size_t>(row.environments), 0);
    const Eigen::MatrixXf controls = Eigen::MatrixXf::Zero(problem.world.controls, row.environments);
    std::int64_t taken = 0;
    const Stopwatch watch;
    for (int i = 0; i < some; ++i) {
      for (int slot = 0; slot < row.environments; ++slot) {
        if (alone->ended(slot)) alone->reset(slot, Rng(1).fork("episode", i * row.environments + slot));
        taken += !alone->ended(slot);
      }
      alone->step(problem.world.controls > 0 ? Actions(controls) : Actions(chosen));
    }
    step = watch.seconds() / static_cast<double>(taken);
  }
  const Stopwatch watch;
  Vector direction = Vector::Zero(problem.world.dim());
  direction[0] = -1;
  const OracleAnswer answer = problem.oracle->minimize(direction, Rng(1));
  const double seconds = watch.seconds();
  const std::string kind = row.world.substr(row.world.find('\'') + 1);
  fmt::print("{:<12} {:<5} {:>4} {:>9.2f} us {:>9} {:>6} {:>9.3f} {:>10.0f}  {}\n",
             kind.substr(0, kind.find('\'')), row.oracle, row.environments, 1e6 * step, answer.steps.training,
             ranks.size(), seconds, static_cast<double>(answer.steps.training) / seconds,
             sha256(policy_bytes(*answer.policy)).substr(0, 12));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  CLI::App app("Training on several ranks");
  app.add_option("--only", only, "rows whose world and oracle hold this, as in 'cart-pole ppo'");
  CLI11_PARSE(app, argc, argv);
  const auto job = ranks_of_job();
  Ranks& ranks = job ? *job : lone_rank();
  if (ranks.is_first())
    fmt::print("{:<12} {:<5} {:>4} {:>12} {:>9} {:>6} {:>9} {:>10}  {}\n", "world", "", "envs", "a step",
               "steps", "ranks", "seconds", "steps/s", "learnt");
  std::vector<Row> rows;
  const std::string cart_pole = "kind = 'cart-pole'";
  for (const std::string oracle : {"a2c", "ppo"}) {
    const int environments = oracle == "a2c" ? 64 : 8;
    rows.push_back({cart_pole, oracle, environments, 0, oracle == "a2c" ? 500'000 : 100'000});
    rows.push_back({cart_pole, oracle, environments, 1, oracle == "a2c" ? 500'000 : 100'000});
    rows.push_back({cart_pole, oracle, environments, 10, 100'000});
    rows.push_back({cart_pole, oracle, environments, 100, 20'000});
    rows.push_back({cart_pole, oracle, environments, 1000, 4'000});
  }
  rows.push_back({"kind = 'point-robot'\nhazards = 64\nhazard_radius = 0.2", "ppo", 64, 0, 100'000});
  for (const Row& row : rows) {
    if (fmt::format("{} {}", row.world, row.oracle).find(only) != std::string::npos) measure(row, ranks);
  }
}
