#include <algorithm>
#include <cmath>
#include <numbers>

#include "c2rl/offline/dataset.h"

namespace c2rl {
namespace {

template <typename T>
std::vector<T> entries(const std::vector<T>& all, const std::vector<int>& at) {
  std::vector<T> result;
  if (all.empty()) return result;
  result.reserve(at.size());
  for (const int i : at) result.push_back(all[static_cast<std::size_t>(i)]);
  return result;
}

template <typename M>
M columns(const M& all, const std::vector<int>& at) {
  return all.cols() > 0 ? M(all(Eigen::all, at)) : all;
}

}  // namespace

Dataset select_episodes(const Dataset& dataset, std::span<const int> episodes) {
  Dataset result;
  static_cast<WorldShape&>(result) = dataset;
  std::vector<int> transitions;
  for (const int e : episodes) {
    for (int i = dataset.episode_begin[e]; i < dataset.episode_begin[e + 1]; ++i) transitions.push_back(i);
    result.episode_begin.push_back(static_cast<int>(transitions.size()));
  }
  result.state = entries(dataset.state, transitions);
  result.next_state = entries(dataset.next_state, transitions);
  result.observation = columns(dataset.observation, transitions);
  result.next_observation = columns(dataset.next_observation, transitions);
  result.action = entries(dataset.action, transitions);
  result.probability = entries(dataset.probability, transitions);
  result.measurement = columns(dataset.measurement, transitions);
  result.terminated = entries(dataset.terminated, transitions);
  result.truncated = entries(dataset.truncated, transitions);
  return result;
}

EpisodeSplit split_episodes(int episodes, double judging_part) {
  EpisodeSplit split;
  for (int e = 0; e < episodes; ++e) {
    const bool judges = std::floor((e + 1) * judging_part) > std::floor(e * judging_part);
    (judges ? split.judging : split.learning).push_back(e);
  }
  // Multiples of the golden ratio: those whose fractions lie in an interval are spread evenly, whatever it is.
  std::vector<std::pair<double, int>> order;
  order.reserve(split.judging.size());
  for (int j = 0; j < std::ssize(split.judging); ++j)
    order.emplace_back(std::fmod(j * std::numbers::phi, 1.0), split.judging[static_cast<std::size_t>(j)]);
  std::ranges::sort(order);
  std::ranges::transform(order, split.judging.begin(), &std::pair<double, int>::second);
  return split;
}

}  // namespace c2rl
