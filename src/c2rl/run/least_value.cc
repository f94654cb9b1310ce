#include "c2rl/run/least_value.h"

#include <algorithm>

namespace c2rl {
namespace {

/// One step: the least that each state comes to when what follows is worth `ahead`.
Vector sweep(const TabularModel& model, const Vector& cost, const Vector& ahead) {
  Vector values = Vector::Zero(model.states);
  for (int s = 0; s < model.states; ++s) {
    if (model.is_terminal(s)) continue;
    double least = kInfinity;
    for (int k = model.choice_begin[s]; k < model.choice_begin[s + 1]; ++k) {
      double value = 0;
      for (int e = model.transition_begin[k]; e < model.transition_begin[k + 1]; ++e)
        value += model.probability[e] * (cost[e] + model.discount * ahead[model.next[e]]);
      least = std::min(least, value);
    }
    values[s] = least;
  }
  return values;
}

}  // namespace

LeastValue least_value(const TabularModel& model, const Vector& direction) {
  constexpr double kStill = 1e-15;  // of the largest value
  constexpr int kMostSweeps = 1'000'000;
  const Vector cost = model.measurement.transpose() * direction;
  LeastValue least;
  Vector values = Vector::Zero(model.states);
  for (int t = 0; t < model.horizon; ++t) {
    values = sweep(model, cost, values);
    least.values.push_back(values);
  }
  std::ranges::reverse(least.values);
  for (int i = 0; model.horizon == 0 && i < kMostSweeps; ++i) {
    Vector next = sweep(model, cost, values);
    const double moved = (next - values).cwiseAbs().maxCoeff();
    values = std::move(next);
    if (moved <= kStill * values.cwiseAbs().maxCoeff()) break;
  }
  if (model.horizon == 0) least.values = {values};
  least.at_start = model.start.dot(values);
  return least;
}

}  // namespace c2rl
