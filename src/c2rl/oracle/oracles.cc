#include "c2rl/oracle/oracles.h"

#include <algorithm>
#include <cmath>

#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/q_learning.h"

namespace c2rl {
namespace {

using ModelPtr = std::shared_ptr<const TabularModel>;

std::unique_ptr<Oracle> make_dynamic_programming(const Config& section, ModelPtr model) {
  const std::vector<std::string> rules = {"shortest", "longest", "first", "random"};
  DynamicProgrammingOptions options;
  options.ties = ties_from_string(section.choice("ties", rules, to_string(options.ties)));
  return std::make_unique<DynamicProgramming>(std::move(model), options);
}

std::unique_ptr<Oracle> make_q_learning(const Config& section, ModelPtr model) {
  const std::vector<std::string> evaluations = {"monte-carlo", "exact"};
  const auto part = [&](const char* key, double fallback) {
    const double value = section.number(key, fallback);
    section.expect(value >= 0 && value <= 1, key, "a number in [0, 1]");
    return value;
  };
  QLearningOptions options;
  // Enough to try every choice many times over, whatever the model's size.
  options.training_steps = section.integer(
      "training_steps", std::max<std::int64_t>(options.training_steps, 1000L * model->choices()));
  section.expect(options.training_steps > 0, "training_steps", "a whole number above 0");
  options.initial_value = section.number("initial_value", options.initial_value);
  section.expect(std::isfinite(options.initial_value), "initial_value", "a finite number");
  options.learning_rate_power = part("learning_rate_power", options.learning_rate_power);
  options.learning_rate_floor = part("learning_rate_floor", options.learning_rate_floor);
  options.epsilon_first = part("epsilon_first", options.epsilon_first);
  options.epsilon_last = part("epsilon_last", options.epsilon_last);
  options.epsilon_decay_part = part("epsilon_decay_part", options.epsilon_decay_part);
  options.evaluation =
      policy_evaluation_from_string(section.choice("evaluation", evaluations, to_string(options.evaluation)));
  const std::int64_t episodes = section.integer("evaluation_episodes", options.evaluation_episodes);
  section.expect(episodes >= 2 && episodes <= 100'000'000, "evaluation_episodes",
                 "a whole number from 2 to 100000000");
  options.evaluation_episodes = static_cast<int>(episodes);
  return std::make_unique<QLearning>(std::move(model), options);
}

struct Entry {
  OracleKind kind;
  std::unique_ptr<Oracle> (*make)(const Config&, ModelPtr);
};

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = {
      {{"dynamic-programming", "exact, from the model; its certificates are proofs (default)"},
       make_dynamic_programming},
      {{"q-learning", "tabular Q-learning by sampling; its certificates are evidence"}, make_q_learning},
  };
  return entries;
}

}  // namespace

const std::vector<OracleKind>& oracle_kinds() {
  static const std::vector<OracleKind> kinds = [] {
    std::vector<OracleKind> all;
    for (const Entry& entry : registry()) all.push_back(entry.kind);
    return all;
  }();
  return kinds;
}

std::unique_ptr<Oracle> make_oracle(const Config& section, ModelPtr model) {
  std::vector<std::string> names;
  for (const OracleKind& kind : oracle_kinds()) names.push_back(kind.name);
  const std::string name = section.choice("kind", names, names.front());
  const auto entry = std::find_if(registry().begin(), registry().end(),
                                  [&](const Entry& candidate) { return candidate.kind.name == name; });
  return entry->make(section, std::move(model));
}

}  // namespace c2rl
