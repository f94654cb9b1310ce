#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// A choice's outcomes, for models written out by hand.
struct Outcome {
  int next;
  double probability;
  Vector measurement;
};

/// Builds a model state by state; `choices` are a state's actions in order, none for a terminal state.
inline void add_state(TabularModel& model, const std::vector<std::vector<Outcome>>& choices) {
  for (const auto& outcomes : choices) {
    for (const Outcome& outcome : outcomes) {
      model.next.push_back(outcome.next);
      model.probability.push_back(outcome.probability);
      const int column = static_cast<int>(model.measurement.cols());
      model.measurement.conservativeResize(model.dim(), column + 1);
      model.measurement.col(column) = outcome.measurement;
    }
    model.transition_begin.push_back(static_cast<int>(model.next.size()));
  }
  model.choice_begin.push_back(static_cast<int>(model.transition_begin.size()) - 1);
  ++model.states;
}

inline constexpr int kNavigationColumns = 9;
inline constexpr int kNavigationStart = 27;
inline constexpr int kNavigationGoal = 35;

/// The navigation task: (steps, risk), ends at G, cut after 500 steps; moves are up, right, down, left.
inline TabularModel navigation_model() {
  constexpr std::string_view kMap =
      "........."
      "........."
      "....#...."
      "S.####..G"
      "..####..."
      "..####...";
  const int cells = static_cast<int>(kMap.size());
  TabularModel model;
  model.measurements = {"steps", "risk"};
  model.horizon = 500;
  for (int s = 0; s < cells; ++s) {
    if (kMap[s] == 'G') {
      add_state(model, {});
      continue;
    }
    const int column = s % kNavigationColumns;
    const int moves[] = {s >= kNavigationColumns ? s - kNavigationColumns : s,
                         column + 1 < kNavigationColumns ? s + 1 : s,
                         s + kNavigationColumns < cells ? s + kNavigationColumns : s, column > 0 ? s - 1 : s};
    std::vector<std::vector<Outcome>> choices;
    for (const int to : moves) choices.push_back({{to, 1.0, Vector{{1.0, kMap[to] == '#' ? 1.0 : 0.0}}}});
    add_state(model, choices);
  }
  model.start = Vector::Unit(cells, kNavigationStart);
  return model;
}

struct GarnetOptions {
  int states = 8;
  int actions = 3;    // at most, at least 1
  int branching = 3;  // at most, at least 1
  int dim = 2;
  double end_probability = 0.1;  // of every choice, at least: so that every policy ends
  double discount = 1.0;
  int horizon = 0;
  bool terminal = true;  // the last state is; else it is as all others, and nothing ends
  bool even =
      false;  // all states have as many actions, all choices as many successors, of about the same probability
};

/// A random model: a few random successors per choice, normal measurements, and one terminal state, the last.
inline TabularModel garnet_model(const GarnetOptions& options, Rng rng) {
  TabularModel model;
  for (int i = 0; i < options.dim; ++i) model.measurements.push_back("m" + std::to_string(i));
  model.discount = options.discount;
  model.horizon = options.horizon;
  model.states = options.states;
  std::vector<double> measurements;
  const auto add_transition = [&](int next, double probability) {
    model.next.push_back(next);
    model.probability.push_back(probability);
    for (int i = 0; i < options.dim; ++i) measurements.push_back(rng.normal());
  };
  for (int s = 0; s < options.states - (options.terminal ? 1 : 0); ++s) {
    const auto up_to = [&](int most) { return options.even ? most : 1 + static_cast<int>(rng.below(most)); };
    for (int actions = up_to(options.actions); actions > 0; --actions) {
      double left = 1 - options.end_probability;
      for (int branches = up_to(options.branching); branches > 0; --branches) {
        const double scale = options.even ? 1.0 / branches : 1.0, least = options.even ? 0.5 : 0.0;
        const double p = branches > 1 ? left * scale * (least + rng.uniform()) : left;
        left -= p;
        add_transition(static_cast<int>(rng.below(options.states)), p);
      }
      if (options.end_probability > 0) add_transition(options.states - 1, options.end_probability);
      model.transition_begin.push_back(static_cast<int>(model.next.size()));
    }
    model.choice_begin.push_back(static_cast<int>(model.transition_begin.size()) - 1);
  }
  if (options.terminal) model.choice_begin.push_back(model.choice_begin.back());
  model.measurement = Eigen::Map<Matrix>(measurements.data(), options.dim, std::ssize(model.next));
  model.start = Vector::Zero(options.states);
  model.start[0] = 0.75;
  model.start[options.states / 2] += 0.25;
  return model;
}

/// So that the first `outside` states lead to one another, and to the rest, which does not lead back. Half of the
/// episodes start in the second of them, so that the first cannot be reached.
inline void keep_outside(TabularModel& model, int outside) {
  for (int s = 0; s < model.states; ++s) {
    for (int e = model.first_transition(s); e < model.first_transition(s + 1); ++e)
      model.next[e] = outside + model.next[e] % (model.states - outside);
    if (s < outside) model.next[model.first_transition(s)] = s + 1;
  }
  model.start = (Vector::Unit(model.states, 1) + Vector::Unit(model.states, outside)) / 2;
}

}  // namespace c2rl
