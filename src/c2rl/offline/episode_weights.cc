#include "c2rl/offline/episode_weights.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/offline/fitted_q.h"

namespace c2rl {
namespace {

/// Weights are kept relative to a scale; where all have become this small, the scale is chosen anew.
constexpr double kSmallWeights = 1e-200;

/// The discounted number of steps from `step` on.
double discounted_steps_from(const Dataset& dataset, int step) {
  return std::pow(dataset.discount, step) * steps_left(dataset.discount, dataset.horizon, step);
}

/// The mean over the episodes and its standard error. The mean weight is 1 for any behaviour, so that a
/// weight out of the range of numbers has the probability 1e-308 at most.
void summarise(const Moments& moments, Vector& measurement, Vector& standard_error) {
  if (!moments.mean.allFinite() || !moments.squares.allFinite()) {
    throw InputError({.field = "probability"},
                     "the weights of episodes overflow: these are not the probabilities of the behaviour");
  }
  measurement = moments.mean;
  standard_error = moments.variance_of_mean().cwiseSqrt();
}

}  // namespace

CompleteEpisodes::CompleteEpisodes(const Dataset& all, const VisitedStates& states, const StepRange& steps)
    : dataset(all), visited(states), range(steps) {
  for (int e = 0; e < dataset.episodes(); ++e) {
    if (dataset.is_complete(e)) longest_first.push_back(e);
  }
  std::ranges::stable_sort(longest_first, std::ranges::greater(), [&](int e) { return dataset.length(e); });
  if (!longest_first.empty()) longest = dataset.length(longest_first.front());
}

EpisodeWeights::EpisodeWeights(const CompleteEpisodes& episodes, const Policy& policy)
    : episodes_(episodes), ratio_(episodes.dataset.size(), 0) {
  const Dataset& dataset = episodes.dataset;
  const int count = static_cast<int>(episodes.longest_first.size());
  if (count < 2) {
    throw InputError(
        {.field = "dataset"},
        fmt::format("found {} complete episodes of {}, expected at least 2", count, dataset.episodes()));
  }
  Matrix probabilities(dataset.actions, episodes.visited.size());
  for (int step = 0; step < episodes.longest; ++step) {
    if (step == 0 || !policy.is_stationary())
      policy.action_probabilities(episodes.visited.states, step, probabilities);
    for (const int e : episodes.longest_first) {
      if (dataset.length(e) <= step) break;
      const int i = dataset.episode_begin[e] + step;
      ratio_[i] = probabilities(dataset.action[i], episodes.visited.place[i]) / dataset.probability[i];
    }
  }

  std::vector<double> log_weights;
  for (const int e : episodes.longest_first) {
    double log_weight = 0;
    int step = 0;
    for (; step < dataset.length(e); ++step) {
      const double ratio = ratio_[dataset.episode_begin[e] + step];
      if (ratio == 0) break;
      log_weight += std::log(ratio);
    }
    if (step < dataset.length(e)) {
      followed_steps_ = std::max(followed_steps_, step);
    } else {
      followed_steps_ = kAllSteps;
      log_weights.push_back(log_weight);
    }
  }
  if (log_weights.empty()) return;
  const double largest = std::ranges::max(log_weights);
  double sum = 0, squares = 0;
  for (const double log_weight : log_weights) {
    const double weight = std::exp(log_weight - largest);
    sum += weight;
    squares += weight * weight;
  }
  effective_episodes_ = sum * sum / squares;
}

void importance(const EpisodeWeights& weights, Vector& measurement, Vector& standard_error) {
  const CompleteEpisodes& episodes = weights.episodes();
  const Dataset& dataset = episodes.dataset;
  Moments moments(dataset.dim());
  Vector sum(dataset.dim());
  for (const int e : episodes.longest_first) {
    sum.setZero();
    for (int i = dataset.episode_begin[e + 1] - 1; i >= dataset.episode_begin[e]; --i) {
      if (weights.ratio(i) == 0) {
        sum.setZero();
      } else {
        sum = weights.ratio(i) * (dataset.measurement.col(i) + dataset.discount * sum);
      }
    }
    moments.add(sum);
  }
  summarise(moments, measurement, standard_error);
  if (weights.followed_steps() == kAllSteps) return;
  const double steps = discounted_steps_from(dataset, weights.followed_steps());
  standard_error += episodes.range.reach_of(steps) + episodes.range.middle_of(steps).cwiseAbs();
}

void weighted_importance(const EpisodeWeights& weights, Vector& measurement, Vector& standard_error) {
  const CompleteEpisodes& episodes = weights.episodes();
  const Dataset& dataset = episodes.dataset;
  const int count = static_cast<int>(episodes.longest_first.size());
  const int steps = std::min(episodes.longest, weights.followed_steps());
  measurement = Vector::Zero(dataset.dim());
  Matrix influence = Matrix::Zero(dataset.dim(), count);  // of each episode on the estimate
  Vector log_weight = Vector::Zero(count);
  Vector weight = Vector::Ones(count);  // exp(log_weight - scale), for some scale
  Vector mean(dataset.dim());
  double discount = 1;
  for (int step = 0; step < steps; ++step, discount *= dataset.discount) {
    const auto transition = [&](int k) { return dataset.episode_begin[episodes.longest_first[k]] + step; };
    int going = 0;  // the episodes that have this step: the first so many
    for (; going < count && dataset.length(episodes.longest_first[going]) > step; ++going) {
      const double ratio = weights.ratio(transition(going));
      weight[going] *= ratio;
      log_weight[going] += std::log(ratio);
    }
    if (!(weight.maxCoeff() > kSmallWeights && weight.maxCoeff() < 1 / kSmallWeights))
      weight = (log_weight.array() - log_weight.maxCoeff()).exp();
    const double sum = weight.sum();
    mean.setZero();
    for (int k = 0; k < going; ++k) mean += weight[k] / sum * dataset.measurement.col(transition(k));
    measurement += discount * mean;
    for (int k = 0; k < count; ++k) {
      if (weight[k] == 0) continue;
      const double share = discount * weight[k] / sum;
      influence.col(k) -= share * mean;
      if (k < going) influence.col(k) += share * dataset.measurement.col(transition(k));
    }
  }
  standard_error = (influence.rowwise().squaredNorm() * (double(count) / (count - 1))).cwiseSqrt();
  if (weights.followed_steps() == kAllSteps) return;
  const double unknown = discounted_steps_from(dataset, weights.followed_steps());
  measurement += episodes.range.middle_of(unknown);
  standard_error += episodes.range.reach_of(unknown);
}

void doubly_robust(const EpisodeWeights& weights, const std::array<EmpiricalModel, 2>& halves,
                   const Policy& policy, Vector& measurement, Vector& standard_error) {
  const CompleteEpisodes& episodes = weights.episodes();
  const Dataset& dataset = episodes.dataset;
  Moments moments(dataset.dim());
  for (int half = 0; half < 2; ++half) {
    std::vector<int> members;  // the longest first
    std::ranges::copy_if(episodes.longest_first, std::back_inserter(members),
                         [half](int e) { return e % 2 == half; });
    Matrix sums = Matrix::Zero(dataset.dim(), std::ssize(members));
    FittedValues values(halves[1 - half], policy);
    for (int step = (dataset.horizon > 0 ? dataset.horizon : episodes.longest) - 1; step >= 0; --step) {
      values.advance();
      for (int k = 0; k < std::ssize(members) && dataset.length(members[k]) > step; ++k) {
        const int i = dataset.episode_begin[members[k]] + step;
        const int state = episodes.visited.place[i], pair = state * dataset.actions + dataset.action[i];
        auto sum = sums.col(k);
        if (const double ratio = weights.ratio(i); ratio > 0) {
          sum = values.v().col(state) +
                ratio * (dataset.measurement.col(i) + dataset.discount * sum - values.q().col(pair));
        } else {
          sum = values.v().col(state);
        }
      }
    }
    for (int k = 0; k < std::ssize(members); ++k) moments.add(sums.col(k));
  }
  summarise(moments, measurement, standard_error);
}

}  // namespace c2rl
