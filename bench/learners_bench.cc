// How near the answers of a learning oracle come to the best there are. Random directions of every sign, an
// answer each with the oracle's default options: how many are within 1% of the best value, the exact oracle's,
// when J of the policy is computed from the model; the largest loss; and what an answer cost.
//
//   learners_bench                                        q-learning, 100 directions
//   learners_bench --oracle a2c --directions 20           another oracle
//   learners_bench --set training_steps=1000000           other options; also --effort, --world, --threads

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/oracle_kinds.h"
#include "learning_worlds.h"

namespace c2rl {
namespace {

struct Settings {
  std::string oracle = "q-learning";
  std::vector<std::string> options;
  std::string world;
  int directions = 100;
  int threads = 1;
  double effort = 1;
  bool losses = false;
};

constexpr double kClose = 0.01;

std::vector<LearningWorld> worlds() {
  std::vector<LearningWorld> all;
  for (const double slip : {0.0, 0.05, 0.1, 0.2, 0.3}) all.push_back(slippery_navigation(slip));
  for (const double slip : {0.05, 0.2}) all.push_back(slippery_cliffs(slip));
  for (const double slip : {0.05, 0.1, 0.2, 0.3}) all.push_back(mars_rover(slip));
  all.push_back(deep_sea_treasure());
  all.push_back(garnet(50));
  return all;
}

/// Of the best value: what the answer is worse by, and what it cost.
struct Found {
  Vector direction;
  double loss = 0;
  double steps = 0, seconds = 0;
};

std::vector<Found> find(const LearningWorld& described, const Settings& settings) {
  Config config =
      Config::parse(described.environment + "[oracle]\nkind = \"" + settings.oracle + "\"\n", described.name);
  for (const std::string& option : settings.options) config.override_value("oracle." + option);
  const World world = make_world(config.section("environment"));
  const auto oracle = make_oracle(oracle_kinds().find(settings.oracle), config.section("oracle"), world);
  config.section("oracle").text("kind");
  config.reject_unknown_keys();
  const DynamicProgramming exact(world.model);
  std::vector<Found> all(settings.directions);
  in_parallel(settings.directions, settings.threads, [&](int i) {
    Found& found = all[i];
    const Rng rng = Rng(1).fork("direction", i);
    found.direction = Rng(rng).normal_vector(world.dim()).normalized();
    const double start = thread_seconds();
    const OracleAnswer answer = oracle->minimize(found.direction, rng.fork("answer"), settings.effort);
    found.seconds = thread_seconds() - start;
    found.steps = static_cast<double>(answer.steps.all());
    const double best = found.direction.dot(exact.minimize(found.direction, Rng(0)).measurement);
    const double value = found.direction.dot(evaluate(*world.model, *answer.policy).measurement);
    found.loss = std::abs(value - best) / std::max(std::abs(best), 1e-12);
  });
  return all;
}

void print(const std::string& world, const std::vector<Found>& all, const Settings& settings) {
  const auto count = static_cast<double>(all.size());
  double close = 0, worst = 0, steps = 0, seconds = 0;
  for (const Found& found : all) {
    if (found.loss <= kClose) ++close;
    worst = std::max(worst, found.loss);
    steps += found.steps / count;
    seconds += found.seconds / count;
  }
  fmt::print("{:<24} {:>9.0f}% {:>12.2g}% {:>14.0f} {:>12.3f}\n", world, 100 * close / count, 100 * worst,
             steps, seconds);
  if (settings.losses) {
    for (const Found& found : all) {
      if (found.loss > kClose)
        fmt::print("    ({:.3f}) {:.2f}%\n", fmt::join(found.direction, ", "), 100 * found.loss);
    }
  }
  std::fflush(stdout);
}

void run(const Settings& settings) {
  fmt::print("{} {}, {} random directions a world, effort {}\n\n", settings.oracle,
             fmt::join(settings.options, " "), settings.directions, settings.effort);
  fmt::print("{:<24} {:>10} {:>13} {:>14} {:>12}\n", "", "within 1%", "worst loss", "steps/answer",
             "s/answer");
  for (const LearningWorld& world : worlds()) {
    if (world.name.starts_with(settings.world)) print(world.name, find(world, settings), settings);
  }
}

}  // namespace
}  // namespace c2rl

int main(int argc, char** argv) {
  c2rl::Settings settings;
  CLI::App app("How near the answers of a learning oracle come to the best");
  app.add_option("--oracle", settings.oracle, "its kind");
  app.add_option("--set", settings.options, "KEY=VALUE of the oracle");
  app.add_option("--world", settings.world, "only worlds whose name begins so");
  app.add_option("--directions", settings.directions, "for each world");
  app.add_option("--effort", settings.effort, "of every answer");
  app.add_option("--threads", settings.threads, "answers at once");
  app.add_flag("--losses", settings.losses, "list the directions that were missed");
  CLI11_PARSE(app, argc, argv);
  try {
    c2rl::run(settings);
  } catch (const c2rl::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
