#pragma once

// The models that planning_bench plans on, from cheap to awkward.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/model_builder.h"

namespace c2rl {

using ModelPtr = std::shared_ptr<const TabularModel>;

inline ModelPtr finished(ModelBuilder builder, int states, double discount, int horizon = 0) {
  TabularModel model = std::move(builder).finish(Vector::Unit(states, 0));
  model.discount = discount;
  model.horizon = horizon;
  validate(model);
  return std::make_shared<const TabularModel>(std::move(model));
}

/// Four actions with so many random successors each. With three, some states of a million are led to by none; with five
/// that is rare.
inline ModelPtr garnet(int states, double discount, int horizon = 0, int successors = 5) {
  ModelBuilder builder({"m1", "m2"});
  Rng rng(1);
  for (int s = 0; s < states; ++s) {
    for (int a = 0; a < 4; ++a) {
      const Vector amount{{rng.uniform(), rng.uniform()}};
      std::vector<double> weight(successors);
      double sum = 0;
      for (double& w : weight) sum += w = -std::log1p(-rng.uniform());
      for (const double w : weight)
        builder.add_transition(static_cast<int>(rng.below(states)), w / sum, amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  return finished(std::move(builder), states, discount, horizon);
}

/// A grid whose moves go astray, one in five, to either side; undiscounted. Now and then, about once in twice the
/// way from corner to corner, an episode breaks off, so that all of them end. (steps, risk).
inline ModelPtr slippery_grid(int side) {
  ModelBuilder builder({"steps", "risk"});
  const int cells = side * side, lost = cells;
  const double breaks = 1.0 / (4 * side);
  for (int s = 0; s < cells; ++s) {
    if (s == cells - 1) {
      builder.end_state();
      continue;
    }
    const int x = s % side, y = s / side;
    const std::array<int, 4> moves = {y > 0 ? s - side : s, x + 1 < side ? s + 1 : s,
                                      y + 1 < side ? s + side : s, x > 0 ? s - 1 : s};
    for (int a = 0; a < 4; ++a) {
      const auto add = [&](int to, double p) {
        const bool risky = (to / side) % 3 == 1 && (to % side) % 7 == 3;
        builder.add_transition(to, p, Vector{{1.0, risky ? 1.0 : 0.0}});
      };
      add(moves[a], (1 - breaks) * 0.8);
      add(moves[(a + 1) % 4], (1 - breaks) * 0.1);
      add(moves[(a + 3) % 4], (1 - breaks) * 0.1);
      builder.add_transition(lost, breaks, Vector{{1.0, 10.0}});
      builder.end_choice();
    }
    builder.end_state();
  }
  builder.end_state();
  return finished(std::move(builder), cells + 1, 1);
}

/// A walk to and fro with hardly a drift, discounted by so little that it mixes first, after about the square of
/// its length. Two paces, at different costs.
inline ModelPtr slow_chain(int states) {
  ModelBuilder builder({"m1", "m2"});
  Rng rng(2);
  for (int s = 0; s < states; ++s) {
    for (const double pace : {1.0, 0.5}) {
      const Vector amount{{rng.uniform(), rng.uniform()}};
      builder.add_transition(std::max(0, s - 1), 0.5 * pace, amount);
      builder.add_transition(std::min(states - 1, s + 1), 0.5 * pace, amount);
      if (pace < 1) builder.add_transition(s, 1 - pace, amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  return finished(std::move(builder), states, 1 - 1e-6);
}

/// Random models of a hundred states, each of which can be stayed in for ever or left for a later one.
inline ModelPtr rooms(int states, double discount) {
  constexpr int kRoom = 100;
  ModelBuilder builder({"m1", "m2"});
  Rng rng(3);
  for (int s = 0; s < states; ++s) {
    const int first = s / kRoom * kRoom, size = std::min(kRoom, states - first);
    for (int a = 0; a < 4; ++a) {
      const Vector amount{{rng.uniform(), rng.uniform()}};
      const double p = 0.2 + 0.6 * rng.uniform();
      builder.add_transition(first + static_cast<int>(rng.below(size)), p, amount);
      const bool stays = a < 3 || first + size >= states;
      const int to = stays
                         ? first + static_cast<int>(rng.below(size))
                         : first + size + static_cast<int>(rng.below(std::min(kRoom, states - first - size)));
      builder.add_transition(to, 1 - p, amount);
      builder.end_choice();
    }
    builder.end_state();
  }
  return finished(std::move(builder), states, discount);
}

}  // namespace c2rl
