#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/random.h"
#include "c2rl/mdp/environments.h"
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

}  // namespace

/// A random model that never ends by itself: every action of every state leads to `branching` distinct
/// states, with probabilities uniform on the simplex, and has measurements "m1", "m2", ... uniform on [0, 1).
/// Starts in state 0.
///   states = 20, actions = 4, branching = 3, measurements = 2, seed = 0, discount = 0.95, horizon = 0
TabularModel make_garnet(const Config& section) {
  constexpr int kMost = 10000000;
  const int states = read_count(section, "states", 20, 1, kMost);
  const int actions = read_count(section, "actions", 4, 1, kMost);
  const int branching = read_count(section, "branching", std::min(3, states), 1, states);
  const int dim = read_count(section, "measurements", 2, 1, kMost);
  const std::int64_t seed = section.integer("seed", 0);
  section.expect(seed >= 0, "seed", "a whole number from 0 on");

  std::vector<std::string> names;
  for (int i = 1; i <= dim; ++i) names.push_back(fmt::format("m{}", i));
  ModelBuilder builder(std::move(names));
  const Rng root(static_cast<std::uint64_t>(seed));
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
  read_episode(section, {.discount = 0.95}, model);
  if (model.discount == 1 && model.horizon == 0) {
    section.fail("horizon",
                 "the model never ends by itself; expected a horizon above 0, or a discount below 1");
  }
  return model;
}

}  // namespace c2rl
