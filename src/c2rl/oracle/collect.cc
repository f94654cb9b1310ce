#include "c2rl/oracle/collect.h"

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/oracle/actor_critic.h"

namespace c2rl {
namespace {

/// Strings the steps of rollouts together to episodes, which go into a dataset as they end.
class Recorder {
 public:
  Recorder(const World& world, int slots, int samples) : open_(slots) {
    static_cast<WorldShape&>(data_) = world;
    data_.measurement.resize(world.dim(), samples);
    data_.observation.resize(world.features, world.features > 0 ? samples : 0);
    data_.next_observation.resize(world.features, world.features > 0 ? samples : 0);
  }

  int recorded() const { return recorded_; }

  /// The steps of a rollout, but no more than `limit` in all.
  void add(const Rollout& rollout, int limit) {
    for (int step = 0; step < rollout.steps; ++step) {
      for (int slot = 0; slot < rollout.slots && recorded_ < limit; ++slot) {
        const int e = rollout.entry(step, slot);
        if (!rollout.taken[e]) continue;
        open_[slot].push_back(transition(rollout, e));
        ++recorded_;
        if (rollout.terminated[e] || rollout.truncated[e]) close(slot);
      }
    }
  }

  /// The collection ends for the episodes that are going on.
  void close_all() {
    for (int slot = 0; slot < std::ssize(open_); ++slot) {
      if (!open_[slot].empty()) close(slot);
    }
  }

  Dataset take() { return std::move(data_); }

 private:
  struct Transition {
    int state, next_state, action;
    Eigen::VectorXf features, next_features;
    double probability;
    Vector measurement;
    std::uint8_t terminated, truncated;
  };

  Transition transition(const Rollout& r, int e) const {
    Transition t{r.state[e],           r.next_state[e], r.action[e],   {}, {}, r.probability[e],
                 r.measurement.col(e), r.terminated[e], r.truncated[e]};
    if (data_.features > 0) {
      t.features = r.features.col(e);
      t.next_features = r.next_features.col(e);
    }
    return t;
  }

  void close(int slot) {
    for (const Transition& t : open_[slot]) {
      const int i = data_.size();
      if (data_.features > 0) {
        data_.observation.col(i) = t.features;
        data_.next_observation.col(i) = t.next_features;
      } else {
        data_.state.push_back(t.state);
        data_.next_state.push_back(t.next_state);
      }
      data_.action.push_back(t.action);
      data_.probability.push_back(t.probability);
      data_.measurement.col(i) = t.measurement;
      data_.terminated.push_back(t.terminated);
      data_.truncated.push_back(t.truncated);
    }
    open_[slot].clear();
    data_.episode_begin.push_back(data_.size());
  }

  std::vector<std::vector<Transition>> open_;  // by slot
  int recorded_ = 0;
  Dataset data_;
};

}  // namespace

Dataset collect(const World& world, const ActorCriticOptions& options, const std::vector<Vector>& directions,
                std::int64_t samples, const Rng& rng, const OracleWatcher& watcher) {
  constexpr std::int64_t kMostSamples = 100'000'000;  // some 10 GB, with few measurements
  const auto count = static_cast<std::int64_t>(directions.size());
  if (count == 0 || samples < count || samples > kMostSamples)
    throw InputError(
        {.field = "samples"},
        fmt::format("found {}, expected at least one per direction, and at most {}", samples, kMostSamples));
  for (const Vector& direction : directions) {
    if (direction.size() != world.dim() || !direction.allFinite())
      throw InputError({.field = "direction"}, fmt::format("expected {} finite numbers", world.dim()));
  }
  check_options(options);
  ActorCritic::check_size(world, options);
  Recorder recorder(world, options.environments, static_cast<int>(samples));
  for (std::int64_t k = 0; k < count; ++k) {
    const auto until = static_cast<int>(samples * (k + 1) / count);
    ActorCritic training(world, options, directions[k].stableNormalized(), until - recorder.recorded(),
                         rng.fork("direction", static_cast<std::uint64_t>(k)));
    while (recorder.recorded() < until) {
      report(watcher, recorder.recorded() / static_cast<double>(samples));
      training.update();
      if (training.rollout().transitions() == 0)
        throw InputError({.field = "environment"}, "every episode ends where it begins: nothing to record");
      recorder.add(training.rollout(), until);
      if (options.returns == Returns::monte_carlo) recorder.close_all();
    }
    recorder.close_all();
  }
  return recorder.take();
}

ActorCriticOptions agent_of(const Oracle& oracle) {
  const auto* actor_critic = dynamic_cast<const ActorCriticOracle*>(&oracle);
  return actor_critic ? actor_critic->options() : ActorCriticOptions{};
}

}  // namespace c2rl
