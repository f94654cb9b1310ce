// How fast the deep oracles learn on the navigation task, on one core and with their default options:
// environment steps a second of A2C, acting and learning together, and updates a second of DDQN on 200,000
// recorded transitions; and how near a minibatch pass (forward, backward, a step of Adam) comes to the most that the
// core can do in single precision, which is measured in the same run. Seconds are of the processor, so that nothing
// else on the machine counts. Then what several threads make of a training: environment steps a second by the clock, the
// best of some parts of trainings that take turns, since whatever else runs on the machine counts here.
//
//   learning_bench           tables
//   learning_bench --threads the last of them alone
//   learning_bench --json    the figures, the options and the model, for bench/torch_learning.py

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "c2rl/base/json.h"
#include "c2rl/base/stopwatch.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/parallel.h"
#include "c2rl/nn/adam.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/dqn.h"
#include "c2rl/oracle/sac.h"

namespace c2rl {
namespace {

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

constexpr int kRepetitions = 9;
constexpr std::int64_t kTransitions = 200'000;
// What the oracles are meant to reach.
constexpr double kGoalSteps = 1'000'000;
constexpr double kGoalUpdates = 3'000;

/// What `run(seed)` does in a second: the median over seeds. It says how much it did.
template <typename Run>
double median_rate(Run run) {
  std::vector<double> rates;
  for (int seed = 0; seed < kRepetitions; ++seed) {
    const double start = processor_seconds();
    const double amount = run(seed);
    rates.push_back(amount / (processor_seconds() - start));
  }
  std::ranges::nth_element(rates, rates.begin() + kRepetitions / 2);
  return rates[kRepetitions / 2];
}

double a2c_steps_per_second(const World& world, const ActorCriticOptions& options) {
  return median_rate([&](int seed) {
    ActorCritic training(world, options, Vector{{1, 0}}, options.training_steps, Rng(seed));
    while (!training.done()) training.update();
    return static_cast<double>(training.env_steps());
  });
}

double ddqn_updates_per_second(const World& world, const DdqnOptions& options) {
  const Dataset dataset = collect(world, {}, {Vector{{1, 0}}, Vector{{1, 1}}, Vector{{1, 3}}, Vector{{0, 1}}},
                                  kTransitions, Rng(1));
  const RecordedActions recorded(dataset, ActionCounts(world));
  return median_rate([&](int seed) {
    DdqnTraining training(dataset, recorded, options, Vector{{1, 0}}, options.updates, Rng(seed));
    while (!training.done()) training.update();
    return static_cast<double>(options.updates);
  });
}

/// Operations a second of multiplying and adding in registers alone: two each, in as many independent sums as hide how
/// long one takes.
double peak_operations_per_second() {
  using Packet = Eigen::internal::packet_traits<float>::type;
  constexpr int kSums = 12, kLanes = Eigen::internal::packet_traits<float>::size;
  constexpr std::int64_t kRounds = 20'000'000;
  return median_rate([&](int seed) {
    const auto factor = Eigen::internal::pset1<Packet>(1 - 1e-6f);
    const auto term = Eigen::internal::pset1<Packet>(1e-6f * static_cast<float>(seed + 1));
    Packet sums[kSums];
    for (Packet& sum : sums) sum = term;
    for (std::int64_t i = 0; i < kRounds; ++i) {
      for (Packet& sum : sums) sum = Eigen::internal::pmadd(sum, factor, term);
    }
    float all = 0;
    for (const Packet& sum : sums) all += Eigen::internal::predux(sum);
    // Whatever comes out is counted in, so that nothing is left out.
    return 2.0 * kSums * kLanes * kRounds + (all < 0 ? 1 : 0);
  });
}

/// Of minibatch passes through two hidden layers of this width, counting the products of matrices alone.
double pass_operations_per_second(int width) {
  constexpr int kInputs = 16, kOutputs = 8, kBatch = 256;
  const NetworkShape shape{.inputs = kInputs, .trunk = {width, width}, .heads = {{"out", {}, kOutputs}}};
  Network network(shape, kBatch);
  network.initialize(Initialization::orthogonal, Rng(1));
  Adam adam(network.parameter_count());
  const Eigen::MatrixXf inputs = Eigen::MatrixXf::Random(kInputs, kBatch);
  const double first = kInputs * width, others = width * width + width * kOutputs;
  const double of_a_pass = 2.0 * kBatch * (2 * first + 3 * others);  // there is no gradient by inputs
  const int passes = static_cast<int>(2e9 / of_a_pass) + 1;
  return median_rate([&](int) {
    for (int i = 0; i < passes; ++i) {
      network.forward(inputs);
      network.output_gradient(0) = network.output(0) / kBatch;
      network.backward();
      adam.step(network.parameters(), network.gradient(), 1e-6);
    }
    return passes * of_a_pass;
  });
}

/// A training with hidden layers of this width, on so many threads.
using TrainingOf = std::function<std::unique_ptr<OnlineTraining>(int width, int threads)>;

/// Rates of a training on one thread and on `threads`.
std::array<double, 2> rates_by_threads(const TrainingOf& training_of, int width, int threads) {
  constexpr int kParts = 12;
  constexpr double kSeconds = 0.25;  // of a part
  const std::array trainings = {training_of(width, 1), training_of(width, threads)};
  std::array<double, 2> best = {0, 0};
  for (int part = 0; part <= kParts; ++part) {
    for (int i = 0; i < 2; ++i) {
      OnlineTraining& training = *trainings[i];
      const std::int64_t before = training.env_steps();
      const Stopwatch watch;
      // The first part has the steps that are taken before anything is learnt.
      while (watch.seconds() < kSeconds) training.update();
      const double rate = static_cast<double>(training.env_steps() - before) / watch.seconds();
      if (part > 0) best[i] = std::max(best[i], rate);
    }
  }
  return best;
}

void print_rates_by_threads() {
  constexpr std::int64_t kSteps = 1'000'000;  // more than are taken
  const int threads = std::max(2, threads_here());
  const auto world_of = [](const char* kind) {
    return make_world(
        Config::parse(fmt::format("[environment]\nkind = '{}'\n", kind), "").section("environment"));
  };
  const World cart_pole = world_of("cart-pole"), pendulum = world_of("pendulum");
  // Trainings keep references to their options.
  ActorCriticOptions ppo = ppo_options();
  DqnOptions dqn;
  SacOptions sac;
  dqn.replay.training_steps = sac.replay.training_steps = kSteps;
  dqn.replay.memory = sac.replay.memory = 100'000;
  const TrainingOf ppo_of = [&](int width, int count) {
    ppo.hidden = {width, width};
    ppo.threads = count;
    return std::make_unique<ActorCritic>(cart_pole, ppo, Vector{{-1, 0}}, kSteps, Rng(1));
  };
  const TrainingOf dqn_of = [&](int width, int count) {
    dqn.hidden = {width, width};
    dqn.replay.threads = count;
    return std::make_unique<DqnTraining>(cart_pole, dqn,
                                         OracleCall{.direction = Vector{{-1, 0}}, .rng = Rng(1)});
  };
  const TrainingOf sac_of = [&](int width, int count) {
    sac.hidden = {width, width};
    sac.replay.threads = count;
    return std::make_unique<SacTraining>(pendulum, sac,
                                         OracleCall{.direction = Vector{{1, 0, 0}}, .rng = Rng(1)});
  };
  fmt::print("\n{:<40} {:>12} {:>12} {:>7}\n", "environment steps / s of a training", "1 thread",
             fmt::format("{} threads", threads), "ratio");
  for (const int width : {64, 256}) {
    for (const auto& [name, training_of] : {std::pair{"ppo, cart-pole, batches of 256", ppo_of},
                                            {"dqn, cart-pole, batches of 64", dqn_of},
                                            {"sac, pendulum, batches of 128", sac_of}}) {
      const auto [one, all] = rates_by_threads(training_of, width, threads);
      fmt::print("{:<40} {:>12.0f} {:>12.0f} {:>7.2f}\n", fmt::format("{0}, {1}x{1}", name, width), one, all,
                 all / one);
    }
  }
}

/// Where each action of each state leads, and what it costs in the direction (1, 0); everything is certain.
Json navigation_json(const TabularModel& model) {
  Json next = Json::array(), cost = Json::array();
  for (int s = 0; s < model.states; ++s) {
    Json row = Json::array(), costs = Json::array();
    for (int c = model.choice_begin[s]; c < model.choice_begin[s + 1]; ++c) {
      const int transition = model.transition_begin[c];
      row.push_back(model.next[transition]);
      costs.push_back(model.measurement(0, transition));
    }
    next.push_back(row);
    cost.push_back(costs);
  }
  return {{"next", next}, {"cost", cost}, {"start", kNavigationStart}, {"horizon", model.horizon}};
}

}  // namespace
}  // namespace c2rl

int main(int argc, char** argv) {
  using namespace c2rl;
  const std::string_view asked = argc > 1 ? argv[1] : "";
  const bool json = asked == "--json";
  if (asked == "--threads") {
    print_rates_by_threads();
    return 0;
  }
  std::optional<tbb::global_control> one_core(std::in_place, tbb::global_control::max_allowed_parallelism, 1);
  const auto model = std::make_shared<TabularModel>(navigation_model());
  const World world = make_world(model);
  const ActorCriticOptions a2c;
  const DdqnOptions ddqn;
  const double steps = a2c_steps_per_second(world, a2c);
  const double updates = ddqn_updates_per_second(world, ddqn);
  if (!json) {
    fmt::print("Learning on the navigation task, one core, median of {} trainings\n\n", kRepetitions);
    fmt::print("{:<40} {:>12} {:>12}\n", "", "measured", "goal");
    fmt::print("{:<40} {:>12.0f} {:>12.0f}\n", "A2C, environment steps / s", steps, kGoalSteps);
    fmt::print("{:<40} {:>12.0f} {:>12.0f}\n", fmt::format("DDQN, updates / s of {}", ddqn.batch), updates,
               kGoalUpdates);
    const double peak = peak_operations_per_second();
    fmt::print("\n{:<40} {:>12.1f}\n", "the core's peak, float32, 10^9 operations / s", peak / 1e9);
    for (const int width : {64, 256}) {
      const double rate = pass_operations_per_second(width);
      fmt::print("{:<40} {:>12.1f} {:>11.0f}%\n", fmt::format("minibatch passes, 256 inputs, {0}x{0}", width),
                 rate / 1e9, 100 * rate / peak);
    }
    one_core.reset();
    print_rates_by_threads();
    return 0;
  }
  const Json figures = {
      {"navigation", navigation_json(*model)},
      {"repetitions", kRepetitions},
      {"actor_critic",
       {{"steps_per_second", steps},
        {"hidden", a2c.hidden},
        {"training_steps", a2c.training_steps},
        {"environments", a2c.environments},
        {"rollout_steps", a2c.rollout_steps},
        {"learning_rate", a2c.learning_rate},
        {"learning_rate_last", a2c.learning_rate_last},
        {"gae_lambda", a2c.gae_lambda},
        {"entropy_first", a2c.entropy_first},
        {"entropy_last", a2c.entropy_last},
        {"entropy_decay_part", a2c.entropy_decay_part},
        {"value_weight", a2c.value_weight},
        {"max_gradient_norm", a2c.max_gradient_norm}}},
      {"double_q",
       {{"updates_per_second", updates},
        {"hidden", ddqn.hidden},
        {"transitions", kTransitions},
        {"updates", ddqn.updates},
        {"batch", ddqn.batch},
        {"target_period", ddqn.target_period},
        {"learning_rate", ddqn.learning_rate},
        {"learning_rate_last", ddqn.learning_rate_last}}},
  };
  fmt::print("{}\n", figures.dump());
}
