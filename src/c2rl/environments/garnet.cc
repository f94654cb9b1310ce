#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/base/ranks.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {
namespace {

/// `count` of 0 .. n - 1, each set equally likely, in ascending order (Floyd's method).
void draw_distinct(int n, int count, Rng& rng, std::vector<int>& drawn) {
  drawn.clear();
  for (int last = n - count; last < n; ++last) {
    const int candidate = static_cast<int>(rng.below(last + 1));
    const auto place = std::ranges::lower_bound(drawn, candidate);
    // What was drawn before is below `last`.
    if (place == drawn.end() || *place != candidate) {
      drawn.insert(place, candidate);
    } else {
      drawn.push_back(last);
    }
  }
}

constexpr int kMost = 1'000'000'000;  // of a model in parts; of any other, memory is the limit

struct GarnetOptions {
  int states = 20;
  int actions = 4;
  int branching = 3;
  int measurements = 2;
  std::int64_t seed = 0;
  Episode episode = {.discount = 0.95};
  Partition partition = {};

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
    partition.visit(visitor);
  }

  World world_in_parts() const;
};

void check(const GarnetOptions& options) {
  const int states = options.states, branching = options.branching;
  if (branching > states) {
    throw InputError({.field = "branching"},
                     fmt::format("found {}, expected a whole number from 1 to {}", branching, states));
  }
  if (options.episode.discount == 1 && options.episode.horizon == 0) {
    throw InputError({.field = "horizon"},
                     "the model never ends by itself; expected a horizon above 0, or a discount below 1");
  }
  check_model_size(double{1} * options.actions * branching, options.measurements);  // of one state
}

std::vector<std::string> names_of(const GarnetOptions& options) {
  std::vector<std::string> names;
  for (int i = 1; i <= options.measurements; ++i) names.push_back(fmt::format("m{}", i));
  return names;
}

/// The states from `begin` to before `end`. Every choice draws from a stream of its own.
TabularModel draw_states(const GarnetOptions& options, int begin, int end) {
  const int states = options.states, actions = options.actions, branching = options.branching;
  const int dim = options.measurements;
  check_model_size(double{1} * (end - begin) * actions * branching, dim);
  ModelBuilder builder(names_of(options));
  const std::int64_t choices = std::int64_t{end - begin} * actions;
  builder.reserve(choices, choices * branching);
  const Rng root(static_cast<std::uint64_t>(options.seed));
  Vector amount(dim), weight(branching);
  std::vector<int> drawn;
  for (int s = begin; s < end; ++s) {
    for (int a = 0; a < actions; ++a) {
      Rng rng = root.fork("garnet", std::uint64_t(s) * actions + a);
      for (double& value : amount) value = rng.uniform();
      for (double& value : weight) value = -std::log1p(-rng.uniform());
      weight /= weight.sum();
      draw_distinct(states, branching, rng, drawn);
      for (int i = 0; i < branching; ++i) builder.add_transition(drawn[i], weight[i], amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  Vector start = Vector::Zero(end - begin);
  if (begin == 0 && end > 0) start[0] = 1;
  return std::move(builder).finish(std::move(start));
}

TabularModel make_garnet(const GarnetOptions& options) {
  check(options);
  TabularModel model = draw_states(options, 0, options.states);
  options.episode.apply_to(model);
  return model;
}

World GarnetOptions::world_in_parts() const {
  check(*this);
  return make_world(
      names_of(*this), states, episode.discount, episode.horizon, [options = *this](int index, int of) {
        const auto at = [&](int i) { return static_cast<int>(part_begin(options.states, i, of)); };
        return part_of(draw_states(options, at(index), at(index + 1)), at(index), options.states);
      });
}

}  // namespace

/// A random model that never ends by itself: every action of every state leads to `branching` distinct
/// states, with probabilities uniform on the simplex, and has measurements uniform on [0, 1). Starts in state
/// 0.
EnvironmentKind garnet_kind() {
  return model_kind("garnet", "a random model of given size", make_garnet);
}

}  // namespace c2rl
