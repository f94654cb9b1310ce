// Whole problems solved with learning oracles, over many seeds and for one setting after another: what the
// defaults of those oracles were chosen by. A run is judged by what its mixture truly measures, computed from
// the model or, where there is none, over 4000 fresh episodes a policy; what the run says of itself stands
// beside it. What says feasible and is out by those is judged by 200,000 others a policy, as 4000 leave much to chance.
// Nothing else is: what is inside by luck stays so, and `inside` errs to that side.
// Every problem can be solved with room to spare.
//
//   learned_runs_bench --seeds 50 --threads 16            the whole table
//   learned_runs_bench --oracle a2c --world cart-pole     part of it; also --setting
//   learned_runs_bench --first-seed 47 --seeds 1 ...      a run again
//   learned_runs_bench --oracle dqn --options hidden=[32] batch=64    another setting, in place of those there are
//
// said: runs that say feasible. inside: the truth is in the target, to the tolerance. near: it is, or its
// distance is below 1% of its size. worst: the largest true distance, by that size. mixed: runs that end with more
// than one policy. alone: runs that found a policy which is inside by itself. Calls and seconds (of the processor)
// are means over runs. Steps are medians: of training, checks, evaluation and confirmation; other: of the last three
// together. Bytes are of the arrays of the policies in the mixture, what they share counted once: the median, too.

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/monte_carlo.h"
#include "c2rl/run/solve.h"
#include "learning_worlds.h"

namespace c2rl {
namespace {

struct TestProblem {
  LearningWorld world;
  std::string rest;                                                        // of the problem file
  std::vector<std::string> oracles = {"q-learning", "a2c", "ppo", "dqn"};  // that suit it
  std::map<std::string, std::vector<std::string>> options = {};  // by oracle, where its defaults do not suit
};

std::vector<TestProblem> problems() {
  const auto target = [](const std::string& constraints, double tolerance) {
    return fmt::format("[target]\nconstraints = [{}]\n[solver]\ntolerance = {}\nmax_oracle_calls = 20\n",
                       constraints, tolerance);
  };
  const std::vector<std::string> of_features = {"a2c", "ppo", "dqn"}, of_controls = {"ppo", "sac"};
  return {
      {cart_pole(), target("'steps >= 190', 'away <= 20'", 1e-2), of_features},
      {navigation(), target("'0 <= steps <= 11', '0 <= risk <= 0.5'", 1e-6)},
      {slippery_navigation(0.1), target("'steps <= 12.3', 'risk <= 0.7'", 1e-2)},
      {mars_rover(0.1), target("'crash <= 0.3', 'reward >= -0.13'", 1e-3)},
      {deep_sea_treasure(), target("'treasure >= 50', 'steps <= 9'", 1e-2)},
      {garnet(50), target("'norm(m1 - 5.4, m2 - 6.1) <= 0.5'", 1e-2)},
      {pendulum(),
       target("'cost <= 250', 'energy <= 6'", 1e-2),
       of_controls,
       {{"ppo", {"training_steps=500000"}}}},
      {mountain_car(),
       target("'reached >= 0.95', 'energy <= 8'", 1e-2),
       of_controls,
       {{"ppo", {"training_steps=300000", "spread=1.5"}}, {"sac", {"hold=30", "first_steps=10000"}}}},
      {point_robot("two"),
       target("'reached >= 0.9', 'hazard <= 1.5'", 1e-2),
       of_controls,
       {{"ppo", {"training_steps=1000000"}}}},
      {point_robot("three"),
       target("'reached >= 0.95', 'hazard <= 0.9', 'energy <= 3.6'", 1e-2),
       of_controls,
       {{"ppo", {"training_steps=1000000"}}}},
      {patrolling_point_robot(), target("'0.4 <= reached <= 0.6', 'hazard <= 1', 'energy <= 3'", 1e-2),
       of_controls},
  };
}

struct Setting {
  std::string oracle;
  std::vector<std::string> options;

  std::string name() const {
    return options.empty() ? "defaults" : fmt::format("{}", fmt::join(options, " "));
  }
};

std::vector<Setting> settings() {
  return {
      {"q-learning", {}},
      {"q-learning", {"evaluation_episodes=100"}},
      {"q-learning", {"evaluation_episodes=400"}},
      {"q-learning", {"evaluation_episodes=2000"}},
      {"q-learning", {"retries=0"}},
      {"q-learning", {"retries=1"}},
      {"q-learning", {"retries=3"}},
      {"a2c", {}},
      {"a2c", {"warm_start=false"}},
      {"a2c", {"warm_start=true"}},
      {"a2c", {"early_stop=true"}},
      {"a2c", {"warm_start=true", "early_stop=true"}},
      {"a2c", {"retries=0"}},
      {"a2c", {"retries=1"}},
      {"a2c", {"retries=3"}},
      {"a2c", {"warm_start=true", "retries=1"}},
      {"a2c", {"warm_start=true", "evaluation_episodes=400"}},
      {"a2c", {"checks=1"}},
      {"a2c", {"checks=8"}},
      {"a2c", {"evaluation_episodes=400"}},
      {"a2c", {"evaluation_episodes=2000"}},
      {"ppo", {}},
      {"ppo", {"early_stop=true"}},
      {"ppo", {"early_stop=false"}},
      {"ppo", {"early_stop=false", "warm_start=true"}},
      {"ppo", {"retries=0"}},
      {"ppo", {"checks=1"}},
      {"ppo", {"evaluation_episodes=200"}},
      {"ppo", {"learning_rate=0.003"}},
      {"dqn", {}},
      {"dqn", {"early_stop=false"}},
      {"dqn", {"remember=false"}},
      {"dqn", {"retries=0"}},
      {"dqn", {"evaluation_episodes=100"}},
      {"sac", {}},
      {"sac", {"remember=false"}},
      {"sac", {"evaluation_episodes=200"}},
  };
}

/// Keeps the policies that a run finds.
class Keeper final : public SolveListener {
 public:
  bool call_finished(const CallRecord& record) override {
    policies_[fmt::format("call-{}", record.call)] = record.policy;
    return true;
  }
  const std::map<std::string, PolicyPtr>& policies() const { return policies_; }

 private:
  std::map<std::string, PolicyPtr> policies_;
};

struct Outcome {
  bool said = false, inside = false, near = false, mixed = false, alone = false;
  double distance = 0;  // of the truth, by its size
  double calls = 0, seconds = 0;
  double training = 0, checks = 0, evaluation = 0, confirmation = 0, other = 0;  // steps
  double bytes = 0;
};

/// Of a policy, where there is no model to compute it from.
constexpr int kEpisodes = 4000, kEpisodesOfDoubt = 200'000;

Vector true_measurement(const World& world, const Policy& policy, int episodes, const Rng& rng) {
  return world.model ? evaluate(*world.model, policy).measurement
                     : estimate(world, policy, episodes, rng).measurement;
}

/// Of the arrays of policies, those that are shared once.
double bytes_of(const std::vector<const Policy*>& policies) {
  std::set<std::vector<std::byte>> seen;
  double sum = 0;
  for (const Policy* policy : policies) {
    const std::vector<std::string> shared = policy->shared();
    for (const Tensor& array : policy->arrays()) {
      const bool in_common = std::ranges::find(shared, array.name) != shared.end();
      if (!in_common || seen.insert(array.bytes).second) sum += static_cast<double>(array.bytes.size());
    }
  }
  return sum;
}

Config problem_file(const TestProblem& problem, const Setting& setting, int seed) {
  Config config = Config::parse(problem.world.environment + problem.rest, problem.world.name);
  config.override_value("seed=" + std::to_string(seed));
  config.override_value("oracle.kind=" + setting.oracle);
  // Features of a cart and a pole take more training than the numbered states of the others.
  if (problem.world.name == "cart-pole" && setting.oracle == "a2c")
    config.override_value("oracle.training_steps=2000000");
  if (const auto own = problem.options.find(setting.oracle); own != problem.options.end()) {
    for (const std::string& option : own->second) config.override_value("oracle." + option);
  }
  for (const std::string& option : setting.options) config.override_value("oracle." + option);
  return config;
}

Outcome run(const TestProblem& described, const Setting& setting, int seed) {
  const Problem problem = read_problem(problem_file(described, setting, seed));
  Keeper keeper;
  const double start = thread_seconds();
  const Result result = solve(problem, nullptr, keeper);
  Outcome outcome;
  outcome.seconds = thread_seconds() - start;
  outcome.said = result.status == Status::feasible;
  outcome.calls = result.oracle_calls;
  outcome.training = static_cast<double>(result.steps.training);
  outcome.checks = static_cast<double>(result.steps.checks);
  outcome.evaluation = static_cast<double>(result.steps.evaluation);
  outcome.confirmation = static_cast<double>(result.steps.confirmation);
  outcome.other = static_cast<double>(result.steps.all() - result.steps.training);
  std::map<std::string, Vector> truths;
  for (const auto& [id, policy] : keeper.policies()) {
    truths[id] = true_measurement(problem.world, *policy, kEpisodes, Rng(seed).fork("truth " + id));
    outcome.alone |= problem.target.set->distance(truths[id]) <= problem.solver.tolerance;
  }
  std::vector<const Policy*> members;
  members.reserve(result.policies.size());
  for (const ResultPolicy& member : result.policies) members.push_back(keeper.policies().at(member.id).get());
  const auto truth_of_mixture = [&] {
    Vector sum = Vector::Zero(problem.world.dim());
    for (const ResultPolicy& member : result.policies) sum += member.weight * truths.at(member.id);
    return sum;
  };
  Vector truth = truth_of_mixture();
  if (outcome.said && problem.target.set->distance(truth) > problem.solver.tolerance &&
      !problem.world.model) {
    for (const ResultPolicy& member : result.policies) {
      truths[member.id] = true_measurement(problem.world, *keeper.policies().at(member.id), kEpisodesOfDoubt,
                                           Rng(seed).fork("doubt " + member.id));
    }
    truth = truth_of_mixture();
  }
  outcome.bytes = bytes_of(members);
  outcome.mixed = members.size() > 1;
  const double distance = problem.target.set->distance(truth);
  outcome.distance = distance / truth.norm();
  outcome.inside = distance <= problem.solver.tolerance;
  outcome.near = outcome.inside || outcome.distance <= 0.01;
  return outcome;
}

struct Row {
  TestProblem problem;
  Setting setting;
  std::vector<Outcome> outcomes = {};
  int left = 0;
};

double median(const std::vector<Outcome>& outcomes, double Outcome::*steps) {
  std::vector<double> all;
  all.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) all.push_back(outcome.*steps);
  std::ranges::sort(all);
  return 0.5 * (all[(all.size() - 1) / 2] + all[all.size() / 2]);
}

void print(const Row& row) {
  const auto count = static_cast<double>(row.outcomes.size());
  int said = 0, inside = 0, near = 0, mixed = 0, alone = 0;
  double worst = 0, calls = 0, seconds = 0;
  for (const Outcome& outcome : row.outcomes) {
    said += outcome.said ? 1 : 0;
    inside += outcome.inside ? 1 : 0;
    near += outcome.near ? 1 : 0;
    mixed += outcome.mixed ? 1 : 0;
    alone += outcome.alone ? 1 : 0;
    worst = std::max(worst, outcome.distance);
    calls += outcome.calls / count;
    seconds += outcome.seconds / count;
  }
  fmt::print(
      "{:<20} {:<11} {:<32} {:>4} {:>6} {:>5} {:>7.1f}% {:>5} {:>5} {:>6.1f} {:>9.0f} {:>9.0f} {:>10.0f} "
      "{:>12.0f} "
      "{:>9.0f} {:>8.0f} {:>8.2f}\n",
      row.problem.world.name, row.setting.oracle, row.setting.name(), said, inside, near, 100 * worst, mixed,
      alone, calls, median(row.outcomes, &Outcome::training), median(row.outcomes, &Outcome::checks),
      median(row.outcomes, &Outcome::evaluation), median(row.outcomes, &Outcome::confirmation),
      median(row.outcomes, &Outcome::other), median(row.outcomes, &Outcome::bytes), seconds);
  std::fflush(stdout);
}

struct Choice {
  int seeds = 8, first_seed = 0;
  int threads = 1;
  std::string world, oracle, setting;
  std::vector<std::string> options;
};

void run_all(const Choice& choice) {
  std::vector<Row> rows;
  const std::vector<Setting> all =
      choice.options.empty() ? settings() : std::vector<Setting>{{choice.oracle, choice.options}};
  const std::vector<TestProblem> known = problems();
  const bool named =
      std::ranges::any_of(known, [&](const TestProblem& one) { return one.world.name == choice.world; });
  const auto chosen = [&](const std::string& name) {
    return named ? name == choice.world : name.starts_with(choice.world);
  };
  for (const TestProblem& problem : known) {
    for (const Setting& setting : all) {
      const bool suits = std::ranges::find(problem.oracles, setting.oracle) != problem.oracles.end();
      if (suits && chosen(problem.world.name) && setting.oracle.starts_with(choice.oracle) &&
          setting.name().starts_with(choice.setting)) {
        rows.push_back({problem, setting, std::vector<Outcome>(choice.seeds), choice.seeds});
      }
    }
  }
  fmt::print(
      "{} seeds each\n\n{:<20} {:<11} {:<32} {:>4} {:>6} {:>5} {:>8} {:>5} {:>5} {:>6} {:>9} {:>9} {:>10} "
      "{:>12} {:>9} "
      "{:>8} {:>8}\n",
      choice.seeds, "", "oracle", "setting", "said", "inside", "near", "worst", "mixed", "alone", "calls",
      "training", "checks", "evaluation", "confirmation", "other", "bytes", "seconds");
  std::mutex printing;
  std::size_t printed = 0;
  in_parallel(static_cast<int>(rows.size()) * choice.seeds, choice.threads, [&](int job) {
    Row& row = rows[job / choice.seeds];
    const int seed = choice.first_seed + job % choice.seeds;
    Outcome& one = row.outcomes[job % choice.seeds];
    one = run(row.problem, row.setting, seed);
    const std::lock_guard lock(printing);
    fmt::print(
        stderr,
        "{}, {}, seed {}: {}, {}, {:.2f}% out, {} calls, {:.0f} steps of training, {:.0f} other, {:.0f} s\n",
        row.problem.world.name, row.setting.oracle, seed, one.said ? "feasible" : "not said",
        one.inside ? "inside" : "not inside", 100 * one.distance, one.calls, one.training, one.other,
        one.seconds);
    --row.left;
    for (; printed < rows.size() && rows[printed].left == 0; ++printed) print(rows[printed]);
  });
}

}  // namespace
}  // namespace c2rl

int main(int argc, char** argv) {
  c2rl::Choice choice;
  CLI::App app("Whole problems solved with learning oracles, for one setting after another");
  app.add_option("--seeds", choice.seeds, "runs of every row");
  app.add_option("--first-seed", choice.first_seed, "of them");
  app.add_option("--threads", choice.threads, "runs at once");
  app.add_option("--world", choice.world, "only the world of this name, or those whose name begins so");
  app.add_option("--oracle", choice.oracle, "only oracles whose kind begins so");
  app.add_option("--setting", choice.setting, "only settings that begin so");
  app.add_option("--options", choice.options, "of the oracle, as one setting in place of those listed");
  CLI11_PARSE(app, argc, argv);
  try {
    c2rl::run_all(choice);
  } catch (const c2rl::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
