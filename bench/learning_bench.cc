// How fast the deep oracles learn on the navigation task, on one core and with their default options:
// environment steps a second of A2C, acting and learning together, and updates a second of DDQN on 200,000
// recorded transitions; and how near a minibatch pass (forward, backward, a step of Adam) comes to the most that the
// core can do in single precision, which is measured in the same run. Seconds are of the processor, so that nothing
// else on the machine counts.
//
//   learning_bench           a table
//   learning_bench --json    the figures, the options and the model, for bench/torch_learning.py

#include <algorithm>
#include <ctime>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "c2rl/base/json.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/nn/adam.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/actor_critic.h"
#include "c2rl/oracle/collect.h"
#include "c2rl/oracle/ddqn_training.h"

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
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  const tbb::global_control one_core(tbb::global_control::max_allowed_parallelism, 1);
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
