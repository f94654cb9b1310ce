#include "c2rl/mdp/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace c2rl {

int draw(std::span<const double> probabilities, double uniform) {
  std::size_t i = 0;
  double left = uniform - probabilities[0];
  while (left >= 0 && i + 1 < probabilities.size()) left -= probabilities[++i];
  while (probabilities[i] == 0) --i;  // rounding left a rest: the last possible index
  return static_cast<int>(i);
}

Sampler::Sampler(const TabularModel& model) : model_(model), episode_limit_(model.horizon) {
  double sum = 0;
  for (int s = 0; s < model.states; ++s) {
    if (model.start[s] == 0) continue;
    start_states_.push_back(s);
    start_sums_.push_back(sum += model.start[s]);
  }
  if (model.horizon == 0 && model.discount < 1) {
    const double steps = std::ceil(std::log(kDiscountedTail) / std::log(model.discount));
    episode_limit_ = static_cast<int>(std::min<double>(steps, std::numeric_limits<int>::max()));
  }
}

int Sampler::start(double uniform) const {
  // The sums may end a rounding below 1: what is past them belongs to the last state.
  const auto found = std::upper_bound(start_sums_.begin(), start_sums_.end() - 1, uniform);
  return start_states_[found - start_sums_.begin()];
}

int Sampler::transition(int choice, double uniform) const {
  const int first = model_.transition_begin[choice];
  const auto count = static_cast<std::size_t>(model_.transition_begin[choice + 1] - first);
  return first + draw(std::span(model_.probability).subspan(first, count), uniform);
}

}  // namespace c2rl
