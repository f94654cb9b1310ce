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
void run_batch(const World& world, const Policy& policy, std::span<const int> episodes, const Rng& rng,
               Episodes& result) {
  const int count = static_cast<int>(episodes.size());
  const auto environment = world.environment(count);
  std::vector<Rng> streams;
  std::vector<int> alive;  // the slots whose episodes go on
  for (int slot = 0; slot < count; ++slot) {
    const auto episode = static_cast<std::uint64_t>(episodes[slot]);
    environment->reset(slot, rng.fork("episode", episode));
    streams.push_back(rng.fork("actions", episode));
    if (!environment->ended(slot)) alive.push_back(slot);
  }
  std::vector<int> states;
  std::vector<Rng*> drawn_from;
  Eigen::MatrixXf features(world.features, count);
  ActionBatch drawn(world, count), actions(world, count);  // of those that go on, and by slot
  double discount = 1;
  for (int step = 0; !alive.empty() && (world.episode_limit == 0 || step < world.episode_limit); ++step) {
    const int left = static_cast<int>(alive.size());
    states.resize(alive.size());
    drawn_from.resize(alive.size());
    for (int i = 0; i < left; ++i) {
      states[i] = environment->states()[alive[i]];
      features.col(i) = environment->features().col(alive[i]);
      drawn_from[i] = &streams[alive[i]];
    }
    policy.act(world.features > 0 ? Observations(features, left) : Observations(states), step, drawn_from,
               drawn);
    for (int i = 0; i < left; ++i) {
      if (world.controls > 0) {
        actions.values.col(alive[i]) = drawn.values.col(i);
      } else {
        actions.indices[alive[i]] = drawn.indices[i];
      }
    }
    environment->step(actions.view());
    for (const int slot : alive) {
      result.sums.col(episodes[slot]) += discount * environment->measurement().col(slot);
      ++result.ends[episodes[slot]].steps;
    }
    std::erase_if(alive, [&](int slot) { return environment->ended(slot); });
    discount *= world.discount;
  }
  for (int slot = 0; slot < count; ++slot)
    result.ends[episodes[slot]].terminated = environment->terminated(slot);
}

void run(const World& world, const Policy& policy, std::span<const int> episodes, const Rng& rng,
         Episodes& result) {
  const int batches = static_cast<int>((episodes.size() + kBatch - 1) / kBatch);
  tbb::parallel_for(0, batches, [&](int b) {
    const std::size_t first = std::size_t{kBatch} * b;
    run_batch(world, policy, episodes.subspan(first, std::min<std::size_t>(kBatch, episodes.size() - first)),
              rng, result);
  });
}

Episodes no_episodes(const World& world, int count) {
  if (count < 2) throw std::logic_error("estimate: a standard error needs at least 2 episodes");
  return {Matrix::Zero(world.dim(), count), std::vector<EpisodeEnd>(count)};
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

Estimate estimate(const World& world, const Policy& policy, int episodes, const Rng& rng) {
  Episodes result = no_episodes(world, episodes);
  std::vector<int> all(episodes);
  std::iota(all.begin(), all.end(), 0);
  run(world, policy, all, rng, result);
  return summarise(result);
}

Estimate estimate(const World& world, const MixedPolicy& policy, int episodes, const Rng& rng) {
  Episodes result = no_episodes(world, episodes);
  std::vector<std::vector<int>> of_member(policy.size());
  for (int i = 0; i < episodes; ++i) {
    Rng stream = rng.fork("member", i);
    of_member[policy.draw(stream)].push_back(i);
  }
  for (int j = 0; j < policy.size(); ++j) run(world, policy.policy(j), of_member[j], rng, result);
  return summarise(result);
}

}  // namespace c2rl
