#include "c2rl/oracle/oracles.h"

#include <algorithm>
#include <cmath>

#include "c2rl/oracle/a2c.h"
#include "c2rl/oracle/ddqn.h"
#include "c2rl/oracle/dynamic_programming.h"
#include "c2rl/oracle/q_learning.h"
#include "c2rl/oracle/read_options.h"

namespace c2rl {
namespace {

/// The model that an oracle needs; an InputError where there is none.
std::shared_ptr<const TabularModel> need_model(const Config& section, const World& world) {
  if (!world.model) {
    section.fail("kind",
                 "needs an environment with finitely many states; this one can only be acted in, for "
                 "which there is a2c");
  }
  return world.model;
}

std::unique_ptr<Oracle> make_dynamic_programming(const Config& section, const World& world) {
  const std::vector<std::string> rules = {"shortest", "longest", "first", "random"};
  DynamicProgrammingOptions options;
  options.ties = ties_from_string(section.choice("ties", rules, to_string(options.ties)));
  return std::make_unique<DynamicProgramming>(need_model(section, world), options);
}

std::unique_ptr<Oracle> make_q_learning(const Config& section, const World& world) {
  const auto model = need_model(section, world);
  QLearningOptions o;
  // Enough to try every choice many times over, whatever the model's size.
  o.training_steps =
      read_at_least(section, "training_steps",
                    std::max<std::int64_t>(o.training_steps, 1000L * model->choices()), 1, kMostSteps);
  o.initial_value = section.number("initial_value", o.initial_value);
  section.expect(std::isfinite(o.initial_value), "initial_value", "a finite number");
  o.learning_rate_power = read_part(section, "learning_rate_power", o.learning_rate_power);
  o.learning_rate_floor = read_part(section, "learning_rate_floor", o.learning_rate_floor);
  o.epsilon_first = read_part(section, "epsilon_first", o.epsilon_first);
  o.epsilon_last = read_part(section, "epsilon_last", o.epsilon_last);
  o.epsilon_decay_part = read_part(section, "epsilon_decay_part", o.epsilon_decay_part);
  o.evaluation = read_evaluation(section, world);
  return std::make_unique<QLearning>(model, o);
}

std::unique_ptr<Oracle> make_a2c(const Config& section, const World& world) {
  return std::make_unique<A2c>(world, read_a2c(section, world));
}

std::unique_ptr<Oracle> make_ddqn(const Config& section, const World& world) {
  if (world.features > 0) {
    section.fail("kind",
                 "needs an environment with numbered states: of features alone J cannot be estimated from a "
                 "dataset");
  }
  const auto dataset = read_dataset_of(section, world);
  return std::make_unique<Ddqn>(dataset, read_ddqn(section), ActionCounts(world));
}

struct Entry {
  OracleKind kind;
  std::unique_ptr<Oracle> (*make)(const Config&, const World&);
};

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = {
      {{"dynamic-programming", "exact, from the model; its certificates are proofs (default)"},
       make_dynamic_programming},
      {{"q-learning", "tabular Q-learning by sampling; its certificates are evidence"}, make_q_learning},
      {{"a2c", "deep advantage actor-critic by sampling; its certificates are evidence"}, make_a2c},
      {{"ddqn", "deep double Q-learning from recorded data alone; its certificates are evidence"}, make_ddqn},
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

std::unique_ptr<Oracle> make_oracle(const Config& section, const World& world) {
  std::vector<std::string> names;
  for (const OracleKind& kind : oracle_kinds()) names.push_back(kind.name);
  const std::string name = section.choice("kind", names, names.front());
  const auto entry = std::find_if(registry().begin(), registry().end(),
                                  [&](const Entry& candidate) { return candidate.kind.name == name; });
  return entry->make(section, world);
}

}  // namespace c2rl
