#include "c2rl/offline/empirical_model.h"

#include <algorithm>
#include <cmath>

namespace c2rl {

StepRange::StepRange(const Dataset& dataset) {
  const Vector low = dataset.measurement.rowwise().minCoeff().cwiseMin(0.0);
  const Vector high = dataset.measurement.rowwise().maxCoeff().cwiseMax(0.0);
  middle = (low + high) / 2;
  reach = (high - low) / 2;
}

Vector StepRange::middle_of(double steps) const {
  return std::isinf(steps) ? Vector::Zero(middle.size()) : Vector(middle * steps);
}

Vector StepRange::reach_of(double steps) const {
  return reach.unaryExpr([steps](double step) { return step > 0 && steps > 0 ? step * steps : 0.0; });
}

VisitedStates::VisitedStates(const Dataset& dataset) : states(dataset.state) {
  std::ranges::sort(states);
  states.erase(std::unique(states.begin(), states.end()), states.end());
  const auto find = [this](int state) {
    const auto found = std::ranges::lower_bound(states, state);
    return found != states.end() && *found == state ? static_cast<int>(found - states.begin()) : unvisited();
  };
  place.reserve(dataset.size());
  next_place.reserve(dataset.size());
  for (int i = 0; i < dataset.size(); ++i) {
    place.push_back(find(dataset.state[i]));
    next_place.push_back(dataset.terminated[i] ? ended() : find(dataset.next_state[i]));
  }
}

EmpiricalModel::EmpiricalModel(const Dataset& dataset, const VisitedStates& visited, const StepRange& range,
                               Part part, bool deterministic)
    : visited_(visited),
      range_(range),
      actions_(dataset.actions),
      discount_(dataset.discount),
      horizon_(dataset.horizon),
      deterministic_(deterministic),
      starts_(visited.size() + 1, 0),
      pair_count_(pairs(), 0),
      pair_mean_(Matrix::Zero(dataset.dim(), pairs())),
      outcome_begin_(pairs() + 1, 0) {
  struct Transition {
    int pair;
    int next;
    int index;
    auto operator<=>(const Transition&) const = default;
  };
  std::vector<Transition> transitions;
  for (int e = 0; e < dataset.episodes(); ++e) {
    if (part != Part::all && (e % 2 == 0) != (part == Part::even)) continue;
    ++episodes_;
    ++starts_[dataset.length(e) > 0 ? visited.place[dataset.episode_begin[e]] : visited.ended()];
    for (int i = dataset.episode_begin[e]; i < dataset.episode_begin[e + 1]; ++i)
      transitions.push_back({visited.place[i] * actions_ + dataset.action[i], visited.next_place[i], i});
  }
  std::ranges::sort(transitions);

  const auto same_outcome = [](const Transition& a, const Transition& b) {
    return a.pair == b.pair && a.next == b.next;
  };
  std::vector<Moments> outcomes;
  for (auto first = transitions.begin(); first != transitions.end();) {
    Moments measured(dataset.dim());
    auto last = first;
    for (; last != transitions.end() && same_outcome(*first, *last); ++last)
      measured.add(dataset.measurement.col(last->index));
    const int pair = first->pair, count = static_cast<int>(last - first);
    ++outcome_begin_[pair + 1];
    pair_count_[pair] += count;
    pair_mean_.col(pair) += (measured.mean - pair_mean_.col(pair)) * (double(count) / pair_count_[pair]);
    next_.push_back(first->next);
    outcome_count_.push_back(count);
    outcomes.push_back(std::move(measured));
    first = last;
  }
  for (int pair = 0; pair < pairs(); ++pair) {
    outcome_begin_[pair + 1] += outcome_begin_[pair];
    for (int j = outcome_begin_[pair]; j < outcome_begin_[pair + 1]; ++j)
      probability_.push_back(double(outcome_count_[j]) / pair_count_[pair]);
  }
  outcome_mean_.resize(dataset.dim(), std::ssize(outcomes));
  outcome_squares_.resize(dataset.dim(), std::ssize(outcomes));
  for (int j = 0; j < std::ssize(outcomes); ++j) {
    outcome_mean_.col(j) = outcomes[j].mean;
    outcome_squares_.col(j) = outcomes[j].squares;
  }
}

double steps_left(double discount, int horizon, int step) {
  if (horizon == 0) return discount < 1 ? 1 / (1 - discount) : kInfinity;
  const int steps = horizon - step;
  return discount == 1 ? steps : (1 - std::pow(discount, steps)) / (1 - discount);
}

}  // namespace c2rl
