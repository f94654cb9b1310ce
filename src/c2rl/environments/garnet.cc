#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

/// `count` of 0 .. n - 1, each set equally likely, in ascending order (Floyd's method).
std::set<int> draw_distinct(int n, int count, Rng& rng) {
  std::set<int> drawn;
  for (int last = n - count; last < n; ++last) {
    const int candidate = static_cast<int>(rng.below(last + 1));
    if (!drawn.insert(candidate).second) drawn.insert(last);
  }
  return drawn;
}

constexpr int kMost = 10000000;

struct GarnetOptions {
  int states = 20;
  int actions = 4;
  int branching = 3;
  int measurements = 2;
  std::int64_t seed = 0;
  Episode episode = {.discount = 0.95};

  void visit(OptionVisitor& visitor) {
    visitor.integer("states", states, between(1, kMost), "states, of which none is terminal");
    visitor.integer("actions", actions, between(1, kMost), "actions of every state");
    visitor.suggest(branching, std::min(branching, states));
    visitor.integer("branching", branching, between(1, kMost),
                    "different states that an action may lead to, at most all; by default fewer where there "
                    "are fewer states");
    visitor.integer("measurements", measurements, between(1, kMost), "measurements, m1, m2 and so on");
    visitor.integer("seed", seed, at_least(0), "another one draws another model");
    episode.visit(visitor);
  }
};

TabularModel make_garnet(const GarnetOptions& options) {
  const int states = options.states, actions = options.actions, branching = options.branching;
  const int dim = options.measurements;
  if (branching > states) {
    throw InputError({.field = "branching"},
                     fmt::format("found {}, expected a whole number from 1 to {}", branching, states));
  }
  if (options.episode.discount == 1 && options.episode.horizon == 0) {
    throw InputError({.field = "horizon"},
                     "the model never ends by itself; expected a horizon above 0, or a discount below 1");
  }
  check_model_size(double{1} * states * actions * branching, dim);
  std::vector<std::string> names;
  for (int i = 1; i <= dim; ++i) names.push_back(fmt::format("m{}", i));
  ModelBuilder builder(std::move(names));
  const Rng root(static_cast<std::uint64_t>(options.seed));
  for (int s = 0; s < states; ++s) {
    for (int a = 0; a < actions; ++a) {
      Rng rng = root.fork("garnet", std::uint64_t(s) * actions + a);
      Vector amount(dim), weight(branching);
      for (double& value : amount) value = rng.uniform();
      for (double& value : weight) value = -std::log1p(-rng.uniform());
      weight /= weight.sum();
      int i = 0;
      for (const int next : draw_distinct(states, branching, rng)) {
        builder.add_transition(next, weight[i++], amount);
      }
      builder.end_choice();
    }
    builder.end_state();
  }
  TabularModel model = std::move(builder).finish(Vector::Unit(states, 0));
  options.episode.apply_to(model);
  return model;
}

}  // namespace

/// A random model that never ends by itself: every action of every state leads to `branching` distinct
/// states, with probabilities uniform on the simplex, and has measurements uniform on [0, 1). Starts in state
/// 0.
EnvironmentKind garnet_kind() {
  return model_kind("garnet", "a random model of given size", make_garnet);
}

}  // namespace c2rl
