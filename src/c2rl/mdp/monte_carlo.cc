#include "c2rl/mdp/monte_carlo.h"

#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <tbb/parallel_for.h>

#include "c2rl/mdp/sampling.h"

namespace c2rl {
namespace {

/// Episodes that step together: one question to the policy per step and batch.
constexpr int kBatch = 256;

struct EpisodeEnd {
  std::int64_t steps = 0;
  bool terminated = false;
};

/// The sampled episodes, each in its own column, whatever thread ran it.
struct Episodes {
  Matrix sums;
  std::vector<EpisodeEnd> ends;
};

/// Runs the episodes with these indices together, to their ends.
void run_batch(const TabularModel& model, const Sampler& sampler, const Policy& policy,
               std::span<const int> episodes, const Rng& rng, Episodes& result) {
  const int limit = sampler.episode_limit();
  std::vector<int> alive, states;  // an entry per episode that goes on
  std::vector<Rng> streams;
  for (const int episode : episodes) {
    Rng stream = rng.fork("episode", episode);
    const int state = sampler.start(stream.uniform());
    result.ends[episode].terminated = model.is_terminal(state);
    if (model.is_terminal(state)) continue;
    alive.push_back(episode);
    states.push_back(state);
    streams.push_back(stream);
  }
  Matrix probabilities(model.max_actions(), std::ssize(alive));
  double discount = 1;
  for (int step = 0; !alive.empty() && (limit == 0 || step < limit); ++step) {
    auto columns = probabilities.leftCols(std::ssize(alive));
    policy.action_probabilities(states, step, columns);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < alive.size(); ++i) {
      int action = 0;
      double left = streams[i].uniform() - columns(0, i);
      while (left >= 0 && action + 1 < model.actions(states[i])) left -= columns(++action, i);
      while (columns(action, i) == 0) --action;  // rounding left a rest: the last possible action
      const int e = sampler.transition(model.choice_begin[states[i]] + action, streams[i].uniform());
      result.sums.col(alive[i]) += discount * model.measurement.col(e);
      EpisodeEnd& end = result.ends[alive[i]];
      ++end.steps;
      end.terminated = model.is_terminal(model.next[e]);
      if (end.terminated) continue;
      alive[kept] = alive[i];
      states[kept] = model.next[e];
      streams[kept] = streams[i];
      ++kept;
    }
    alive.resize(kept);
    states.resize(kept);
    streams.resize(kept, Rng(0));
    discount *= model.discount;
  }
}

void run(const TabularModel& model, const Sampler& sampler, const Policy& policy,
         std::span<const int> episodes, const Rng& rng, Episodes& result) {
  const int batches = static_cast<int>((episodes.size() + kBatch - 1) / kBatch);
  tbb::parallel_for(0, batches, [&](int b) {
    const std::size_t first = std::size_t{kBatch} * b;
    run_batch(model, sampler, policy,
              episodes.subspan(first, std::min<std::size_t>(kBatch, episodes.size() - first)), rng, result);
  });
}

Episodes no_episodes(const TabularModel& model, int count) {
  if (count < 2) throw std::logic_error("estimate: a standard error needs at least 2 episodes");
  return {Matrix::Zero(model.dim(), count), std::vector<EpisodeEnd>(count)};
}

Estimate summarise(const Episodes& episodes) {
  const int n = static_cast<int>(episodes.ends.size());
  Estimate result;
  result.episodes = n;
  for (const EpisodeEnd& end : episodes.ends) {
    result.env_steps += end.steps;
    ++(end.terminated ? result.terminated : result.truncated);
  }
  // Welford's update: the mean of equal numbers is that number, and their spread exactly zero.
  result.measurement = Vector::Zero(episodes.sums.rows());
  Vector spread = Vector::Zero(episodes.sums.rows());
  for (int i = 0; i < n; ++i) {
    const Vector before = episodes.sums.col(i) - result.measurement;
    result.measurement += before / (i + 1);
    spread += before.cwiseProduct(episodes.sums.col(i) - result.measurement);
  }
  result.standard_error = (spread.cwiseMax(0.0) / (double(n - 1) * n)).cwiseSqrt();
  return result;
}

}  // namespace

Estimate estimate(const TabularModel& model, const Policy& policy, int episodes, const Rng& rng) {
  Episodes result = no_episodes(model, episodes);
  std::vector<int> all(episodes);
  std::iota(all.begin(), all.end(), 0);
  run(model, Sampler(model), policy, all, rng, result);
  return summarise(result);
}

Estimate estimate(const TabularModel& model, const MixedPolicy& policy, int episodes, const Rng& rng) {
  Episodes result = no_episodes(model, episodes);
  std::vector<std::vector<int>> of_member(policy.size());
  for (int i = 0; i < episodes; ++i) {
    Rng stream = rng.fork("member", i);
    of_member[policy.draw(stream)].push_back(i);
  }
  const Sampler sampler(model);
  for (int j = 0; j < policy.size(); ++j) run(model, sampler, policy.policy(j), of_member[j], rng, result);
  return summarise(result);
}

}  // namespace c2rl
