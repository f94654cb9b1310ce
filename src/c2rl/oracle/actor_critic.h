#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "c2rl/mdp/world.h"
#include "c2rl/nn/adam.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/a2c.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/running_episodes.h"

namespace c2rl {

/// What happened in a rollout: entry t * slots + slot is step t of the episode in that slot.
struct Rollout {
  int slots = 0;
  int steps = 0;                       // those taken, at most as many as there is room for
  std::vector<std::uint8_t> taken;     // whether the slot took this step: no other entry means anything then
  std::vector<int> column;             // of what was seen, among the network's inputs
  std::vector<int> state, next_state;  // what was seen before and after, where that is an index ...
  Eigen::MatrixXf features, next_features;  // ... or features
  std::vector<int> action;
  std::vector<double> probability;  // of the action
  Matrix measurement;
  std::vector<std::uint8_t> terminated, truncated;

  int entry(int step, int slot) const { return step * slots + slot; }
  std::int64_t transitions() const;
};

/// One training run of an actor and a critic that minimises direction.measurement. Where states are numbered,
/// the network sees each state of a rollout once, however often it was visited: what the visits say about it
/// is summed before it goes back through the network. Nothing is allocated once training has begun.
class ActorCritic {
 public:
  /// An InputError where a rollout would be too large to keep.
  static void check_size(const World& world, const A2cOptions& options);

  /// Runs for about `steps` environment steps. Begins with the parameters of `start` where given, which must
  /// be of the network these options describe. One that is `resumable` notes what visit needs.
  ActorCritic(const World& world, const A2cOptions& options, const Vector& direction, std::int64_t steps,
              const Rng& rng, const NetworkPolicy* start = nullptr, bool resumable = false);

  /// A rollout with the policy as it is, and one step of Adam on it.
  void update();
  /// Between updates, of a training that is resumable: all that it goes on from. What is restored goes into a
  /// new one.
  void visit(StateVisitor& state);
  bool done() const { return env_steps_ >= steps_; }
  double part_done() const { return std::min(1.0, static_cast<double>(env_steps_) / double(steps_)); }
  std::int64_t env_steps() const { return env_steps_; }

  const Rollout& rollout() const { return rollout_; }
  /// The policy as it is now.
  std::shared_ptr<const NetworkPolicy> policy(Execution execution) const;

  static NetworkShape shape(const World& world, const A2cOptions& options);

 private:
  enum Head { kPolicy, kValue };  // of the network

  void act();
  void see(int step);
  void evaluate_inputs(int first);
  void bootstrap(int step, std::span<const int> slots);
  void find_advantages();
  void sum_by_input();
  void learn();
  int input_of(int state);

  const World& world_;
  const A2cOptions& options_;
  Vector direction_;
  double discount_;
  double usual_cost_ = 0;  // of a step: the largest mean that a rollout had so far
  std::int64_t steps_;
  std::int64_t env_steps_ = 0;
  std::uint64_t episodes_ = 0;
  std::uint64_t updates_ = 0;
  Rng rng_;
  ActionCounts actions_;
  std::unique_ptr<Environment> environment_;
  std::optional<RunningEpisodes> running_;  // where they outlast an update, of a training that is resumable
  int room_;                                // steps of a rollout
  Network network_;
  Adam adam_;

  Rollout rollout_;
  /// Inputs of the network in this rollout: the different states seen, or all features.
  int inputs_ = 0;
  std::vector<int> input_states_;
  std::vector<int> input_of_state_;  // -1 where not seen
  Matrix probabilities_;             // actions x inputs
  std::vector<float> values_;        // by input
  // By entry of the rollout:
  std::vector<float> ahead_;       // the critic's value of what came next, where the rollout does not say it
  std::vector<std::uint8_t> cut_;  // whether `ahead_` is what is known of the rest
  std::vector<float> reward_, advantage_, target_;
  // By input, summed over its visits:
  Eigen::MatrixXf action_advantage_;
  Eigen::VectorXf visits_, value_gradient_;

  std::vector<int> chosen_, slots_;
  Eigen::MatrixXf seen_;  // features to be valued
};

}  // namespace c2rl
