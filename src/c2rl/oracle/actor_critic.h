#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "c2rl/base/team.h"
#include "c2rl/mdp/world.h"
#include "c2rl/nn/adam.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/actor_critic_oracle.h"
#include "c2rl/oracle/gaussian_policy.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/online_training.h"
#include "c2rl/oracle/running_episodes.h"
#include "c2rl/oracle/standardizer.h"
#include "c2rl/oracle/training_episodes.h"

namespace c2rl {

/// What happened in a rollout: entry t * slots + slot is step t of the episode in that slot.
struct Rollout {
  int slots = 0;
  int steps = 0;                       // those taken, at most as many as there is room for
  std::vector<std::uint8_t> taken;     // whether the slot took this step: no other entry means anything then
  std::vector<int> column;             // of what was seen, among the network's inputs
  std::vector<int> state, next_state;  // what was seen before and after, where that is an index ...
  Eigen::MatrixXf features, next_features;  // ... or features
  std::vector<int> action;                  // what was done, where that is an index ...
  Eigen::MatrixXf controls;                 // ... or real numbers, before they are squashed
  std::vector<double> probability;  // of the action; where that is real numbers, the density's logarithm
  Matrix measurement;
  std::vector<std::uint8_t> terminated, truncated;

  int entry(int step, int slot) const { return step * slots + slot; }
  std::int64_t transitions() const;
};

/// One training run of an actor that minimises direction.measurement, and of a critic. The critic has a value for
/// each measurement, and one for the number of steps: what it learns does not depend on the direction, so that
/// it serves the next one, too. Where states are numbered, the network sees each state of a minibatch once,
/// however often it was visited: what the visits say about it is summed before it goes back through the network.
/// Nothing is allocated once training has begun.
class ActorCritic final : public OnlineTraining {
 public:
  /// An InputError where a rollout would be too large to keep.
  static void check_size(const World& world, const ActorCriticOptions& options);

  /// Runs for about `steps` environment steps. Begins with the parameters of `start` where given, which must
  /// be of the network these options describe. One that is `resumable` notes what visit needs.
  ActorCritic(const World& world, const ActorCriticOptions& options, const Vector& direction,
              std::int64_t steps, const Rng& rng, const Policy* start = nullptr, bool resumable = false);

  /// A rollout with the policy as it is, and what is learnt from it.
  void update() override;
  void visit(StateVisitor& state) override;
  /// What another training of the same direction, for more steps, begins with; and begins with what one has left. Its
  /// schedules go on where that ended. An InputError where it is of another network.
  MemoryPtr left_off();
  void go_on_from(const Safetensors& left_off);
  /// Steps that were taken before, by the one that it goes on from.
  std::int64_t steps_before() const { return steps_before_; }
  PolicyPtr policy() const override { return policy(options_.execution); }
  PolicyPtr policy(Execution execution) const;
  TrainingEpisodes& episodes() override { return finished_; }
  std::int64_t env_steps() const override { return env_steps_; }

  const Rollout& rollout() const { return rollout_; }

  static NetworkShape shape(const World& world, const ActorCriticOptions& options);

 private:
  enum Head { kPolicy, kValue };  // of the network

  void begin_from(const Policy* start);
  void visit_learnt(StateVisitor& state);
  void act();
  void see(int step);
  void choose(int step, Rng& draws);
  void evaluate_inputs(int first);
  void read(const Eigen::Ref<const Eigen::MatrixXf>& features);
  void distribute(int first, int count);
  void bootstrap(int step, std::span<const int> slots);
  void begin_episodes(int step);
  int input_of(int state);
  void forget_inputs();

  void find_advantages();
  void scale_values();
  void learn();
  void learn_from(std::span<const int> entries);
  void look_at(std::span<const int> entries);
  float weight_of(int entry, double ratio);
  void lead_numbered(std::span<const int> entries);
  void lead_controls(std::span<const int> entries);
  void teach_critic(std::span<const int> entries);
  double scheduled(double first, double last) const { return first + part_done() * (last - first); }
  double entropy_weight() const;

  bool has_features() const { return world_.features > 0; }
  bool has_controls() const { return world_.controls > 0; }
  int values() const { return world_.dim() + 1; }

  const World& world_;
  const ActorCriticOptions& options_;
  Vector direction_;
  double discount_;
  double usual_cost_ = 0;  // of a step: the largest mean that a rollout had so far
  std::int64_t env_steps_ = 0, steps_before_ = 0;
  std::uint64_t episodes_ = 0;
  std::uint64_t updates_ = 0;
  Rng rng_;
  ActionCounts actions_;
  std::unique_ptr<Environment> environment_;
  std::optional<RunningEpisodes> running_;  // where they outlast an update, of a training that is resumable
  TrainingEpisodes finished_;
  int room_;  // steps of a rollout
  Team team_;
  Network network_;
  Adam adam_;
  std::optional<Standardizer> standardizer_;
  Eigen::VectorXf value_scale_;  // the network's values are in units of this, by measurement
  Vector mean_square_;           // of what the critic is to say
  /// Of actions that are real numbers: the logarithms of their spreads, which are the same wherever one is.
  Eigen::VectorXf log_spread_, log_spread_gradient_;
  std::optional<Adam> spread_adam_;

  Rollout rollout_;
  /// Inputs of the network in this rollout: the different states seen, or all features.
  int inputs_ = 0;
  std::vector<int> input_states_;
  std::vector<int> input_of_state_;  // -1 where not seen
  Matrix probabilities_;             // actions x inputs
  Eigen::MatrixXf means_;            // controls x inputs
  Eigen::MatrixXf values_;           // values() x inputs
  // By entry of the rollout:
  Eigen::MatrixXf ahead_;          // the critic's values of what came next, where the rollout does not say it
  std::vector<std::uint8_t> cut_;  // whether `ahead_` is what is known of the rest
  Eigen::MatrixXf gain_, target_;  // how much more was measured than expected; what the critic is to say
  std::vector<float> advantage_;
  // By input, summed over its visits:
  Eigen::MatrixXf action_weight_;
  Eigen::VectorXf visits_;
  double clip_ = 0;
  double kl_sum_ = 0;  // over the entries of a minibatch

  std::vector<int> order_;  // entries that were taken
  std::vector<int> chosen_, slots_;
  std::vector<Rng> streams_;          // of episodes that begin
  Eigen::MatrixXf controls_;          // what is done in each slot
  Eigen::MatrixXf seen_, standard_;   // features, as they are and as the network reads them
  Eigen::VectorXf factor_, squares_;  // room for what is done by value
  Eigen::VectorXf price_;             // what one more of each value is worth
};

}  // namespace c2rl
