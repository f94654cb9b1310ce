#include "c2rl/mdp/monte_carlo.h"

#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "c2rl/mdp/parallel.h"
#include "c2rl/mdp/sampling.h"

namespace c2rl {
namespace {

/// Episodes that step together: one question to the policy per step and batch.
constexpr int kBatch = 256;
/// Steps of a batch between two pulses: well below a second, whatever the world.
constexpr int kStepsPerPulse = 64;

struct EpisodeEnd {
  std::int64_t steps = 0;
  bool terminated = false;
};

/// The sampled episodes, each in its own column, whatever thread ran it. Column i is of the episode with the
/// number first + i.
struct Episodes {
  Episodes(const World& world, std::int64_t from, int count)
      : first(from), sums(Matrix::Zero(world.dim(), count)), ends(count) {}

  std::int64_t first;
  Matrix sums;
  std::vector<EpisodeEnd> ends;
};

/// Runs the episodes of these columns together, to their ends.
void run_batch(const World& world, const Policy& policy, std::span<const int> columns, const Rng& rng,
               Episodes& result, const Pulse& listener) {
  const int count = static_cast<int>(columns.size());
  const auto environment = world.environment(count);
  std::vector<Rng> streams;
  std::vector<int> alive;  // the slots whose episodes go on
  for (int slot = 0; slot < count; ++slot) {
    const auto episode = static_cast<std::uint64_t>(result.first + columns[slot]);
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
    if (step % kStepsPerPulse == 0) pulse(listener);
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
      result.sums.col(columns[slot]) += discount * environment->measurement().col(slot);
      ++result.ends[columns[slot]].steps;
    }
    std::erase_if(alive, [&](int slot) { return environment->ended(slot); });
    discount *= world.discount;
  }
  for (int slot = 0; slot < count; ++slot)
    result.ends[columns[slot]].terminated = environment->terminated(slot);
}

void run(const World& world, const Policy& policy, std::span<const int> columns, const Rng& rng,
         Episodes& result, const Pulse& listener = {}) {
  // This thread takes its part of the batches, and they are small.
  const auto caller = std::this_thread::get_id();
  const int batches = static_cast<int>((columns.size() + kBatch - 1) / kBatch);
  for_each_parallel(batches, [&](int b) {
    const std::size_t first = std::size_t{kBatch} * b;
    run_batch(world, policy, columns.subspan(first, std::min<std::size_t>(kBatch, columns.size() - first)),
              rng, result, std::this_thread::get_id() == caller ? listener : Pulse());
  });
}

EpisodeTotals totals_of(Episodes&& episodes) {
  EpisodeTotals result{.totals = std::move(episodes.sums)};
  for (const EpisodeEnd& end : episodes.ends) {
    result.env_steps += end.steps;
    ++(end.terminated ? result.terminated : result.truncated);
  }
  return result;
}

void check_count(int count) {
  if (count < 2) throw std::logic_error("estimate: a standard error needs at least 2 episodes");
}

}  // namespace

Estimate summarise(const EpisodeTotals& episodes) {
  const Matrix& totals = episodes.totals;
  const int n = static_cast<int>(totals.cols());
  Estimate result;
  result.episodes = n;
  result.terminated = episodes.terminated;
  result.truncated = episodes.truncated;
  result.env_steps = episodes.env_steps;
  // Welford's update: the mean of equal numbers is that number, and their spread exactly zero.
  result.measurement = Vector::Zero(totals.rows());
  Vector spread = Vector::Zero(totals.rows());
  for (int i = 0; i < n; ++i) {
    const Vector before = totals.col(i) - result.measurement;
    result.measurement += before / (i + 1);
    spread += before.cwiseProduct(totals.col(i) - result.measurement);
  }
  result.standard_error = (spread.cwiseMax(0.0) / std::max(1.0, double(n - 1) * n)).cwiseSqrt();
  return result;
}

EpisodeTotals episode_totals(const World& world, const Policy& policy, std::int64_t first, int count,
                             const Rng& rng, const Pulse& listener) {
  if (first < 0 || count < 0) throw std::logic_error("episode_totals: a negative number of episodes");
  if (world.episodes) return world.episodes(policy, first, count, rng, listener);
  Episodes episodes(world, first, count);
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  run(world, policy, all, rng, episodes, listener);
  return totals_of(std::move(episodes));
}

Estimate estimate(const World& world, const Policy& policy, int episodes, const Rng& rng) {
  check_count(episodes);
  return summarise(episode_totals(world, policy, 0, episodes, rng));
}

Estimate estimate(const World& world, const MixedPolicy& policy, int episodes, const Rng& rng) {
  check_count(episodes);
  Episodes result(world, 0, episodes);
  std::vector<std::vector<int>> of_member(policy.size());
  for (int i = 0; i < episodes; ++i) {
    Rng stream = rng.fork("member", i);
    of_member[policy.draw(stream)].push_back(i);
  }
  for (int j = 0; j < policy.size(); ++j) run(world, policy.policy(j), of_member[j], rng, result);
  return summarise(totals_of(std::move(result)));
}

}  // namespace c2rl
