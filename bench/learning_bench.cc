// How fast the deep oracles learn on the navigation task, on one core and with their default options:
// environment steps a second of A2C, acting and learning together, and updates a second of DDQN on 200,000
// recorded transitions. Seconds are of the processor, so that nothing else on the machine counts.
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
