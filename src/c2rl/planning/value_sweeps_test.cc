#include "c2rl/planning/value_sweeps.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "c2rl/mdp/models_testing.h"

namespace c2rl {
namespace {

/// Over a horizon, in which nothing ends. Every fifth state has two choices that are nearly the same.
TabularModel over_horizon(int states, double discount, int horizon, bool off_one, Rng rng) {
  TabularModel model = garnet_model({.states = states,
                                     .actions = 3,
                                     .branching = 4,
                                     .end_probability = 0,
                                     .discount = discount,
                                     .terminal = false,
                                     .even = true},
                                    rng.fork("garnet"));
  model.horizon = horizon;
  Rng draws = rng.fork("changes");
  for (int s = 0; s < states; s += 5) {
    const int k = model.choice_begin[s], from = model.transition_begin[k], to = model.transition_begin[k + 1];
    for (int i = 0; i < model.transition_begin[k + 2] - to && from + i < to; ++i) {
      model.measurement.col(to + i) =
          model.measurement.col(from + i) * (1 + std::pow(10, -9 * draws.uniform()));
    }
  }
  // As far as files may be.
  if (off_one) {
    for (double& probability : model.probability) probability *= 1 + 9e-10 * (2 * draws.uniform() - 1);
  }
  return model;
}

/// Makes two halves of it that are not left, and in one of which a step costs more by `rate`, in the direction. From every eighth state each
/// choice leads to one half or the other, for a price that is worth it only until some number of steps to go: what choices differ by
/// changes by `rate` in every sweep, as fast as it can.
void divide(TabularModel& model, double rate, const Vector& direction, Rng draws) {
  const int half = model.states / 2;
  const Vector unit = direction / direction.squaredNorm();
  for (int s = 0; s < model.states; ++s) {
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
      const bool gate = s % 8 == 0;
      const bool dear = gate ? draws.uniform() < 0.5 : s >= half;
      const double price = 2 * rate * model.horizon * draws.uniform();
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
        const int inside = 1 + model.next[e] % (half - 1);
        model.next[e] = (dear ? half : 0) + inside - (inside % 8 == 0 ? 1 : 0);
        if (gate) {
          model.measurement.col(e) = price * unit;
        } else if (dear) {
          model.measurement.col(e) += rate * unit;
        }
      }
    }
  }
}

/// What backward induction in 64 bits makes of it: values with the whole horizon to go, and the actions with 1, 2 and so on.
struct Induced {
  std::vector<long double> value;
  std::vector<std::vector<int>> actions;
  std::vector<std::vector<bool>> sure;  // no other is nearly as good
};

Induced induce(const TabularModel& model, const Vector& direction) {
  Induced result{std::vector<long double>(model.states, 0), {}, {}};
  for (int step = 0; step < model.horizon; ++step) {
    std::vector<long double> then(model.states);
    std::vector<int> actions(model.states);
    std::vector<bool> sure(model.states, true);
    for (int s = 0; s < model.states; ++s) {
      long double least = INFINITY, next = INFINITY;
      for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
        long double ahead = 0, at_once = 0;
        for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e) {
          ahead += static_cast<long double>(model.probability[e]) * result.value[model.next[e]];
          at_once += static_cast<long double>(model.probability[e]) *
                     static_cast<long double>(direction.dot(model.measurement.col(e)));
        }
        const long double option = at_once + static_cast<long double>(model.discount) * ahead;
        if (option < least) {
          next = least;
          least = option;
          actions[s] = k - model.choice_begin[s];
        } else if (option < next) {
          next = option;
        }
      }
      then[s] = least;
      sure[s] = next - least > 1e-10L * (1 + std::abs(least));
    }
    result.value.swap(then);
    result.actions.push_back(std::move(actions));
    result.sure.push_back(std::move(sure));
  }
  return result;
}

/// Of every state with 1, 2 and so on steps to go.
std::vector<std::vector<int>> actions_of(const ValueSweeps& sweeps, int horizon) {
  const std::vector<int> last(sweeps.actions().begin(), sweeps.actions().end());
  std::vector<std::vector<int>> actions(horizon, last);
  for (const auto& block : sweeps.changes()) {
    for (auto change = block.rbegin(); change != block.rend(); ++change) {
      for (int to_go = 1; to_go < change->steps_to_go; ++to_go)
        actions[to_go - 1][change->state] = change->action_below;
    }
  }
  return actions;
}

// Sixteen states at a time decide as each by itself would, at every step; also after choices have been left out.
TEST(ValueSweeps, SideBySideIsBackwardInduction) {
  int settled = 0;
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const int horizon = seed % 3 == 0 ? 1 + seed / 3 : 40 + seed;
    TabularModel model = over_horizon(16 * (10 + seed / 2) + (seed % 3 == 1 ? 0 : seed % 16),
                                      seed % 2 == 0 ? 1 : 0.97, horizon, seed % 4 == 1, Rng(seed));
    const Vector direction = Rng(seed).fork("direction").normal_vector(model.dim());
    if (seed % 3 == 1) divide(model, 1e-3, direction, Rng(seed).fork("halves"));
    const BlockGraph graph(model);
    ASSERT_TRUE(graph.side_by_side());
    const ScalarProblem problem(model, direction, Ties::first, Rng(seed));
    ValueSweeps sweeps(model, graph, problem);
    sweeps.run(horizon / 4);
    sweeps.run(horizon - horizon / 4);
    settled += sweeps.settled() > model.states / 2 ? 1 : 0;
    const Induced induced = induce(model, direction);
    for (int s = 0; s < model.states; ++s)
      EXPECT_NEAR(sweeps.outlook(s).value, static_cast<double>(induced.value[s]),
                  1e-13 * (1 + std::abs(static_cast<double>(induced.value[s]))));
    const auto actions = actions_of(sweeps, horizon);
    for (int step = 0; step < horizon; ++step) {
      for (int s = 0; s < model.states; ++s) {
        if (!induced.sure[step][s]) continue;
        EXPECT_EQ(actions[step][s], induced.actions[step][s]) << "step " << step << ", state " << s;
      }
    }
  }
  EXPECT_GT(settled, 30);
}

}  // namespace
}  // namespace c2rl
