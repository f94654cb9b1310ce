#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/base/team.h"
#include "c2rl/nn/adam.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/ddqn_options.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/recorded_actions.h"
#include "c2rl/oracle/standardizer.h"
#include "c2rl/oracle/transitions.h"

namespace c2rl {

/// What learning on transitions depends on.
struct DeepQSettings {
  std::vector<int> hidden;
  Activation activation = Activation::relu;
  int batch = 256;
  BatchSampling sampling = BatchSampling::balanced;
  int target_period = 10;
  double momentum = 0.5;
  double huber_limit = kInfinity;
  double discount = 1;
  /// Values are kept at a size of about 1, and features at mean 0 and spread 1, whatever they are. Else both are
  /// taken as they come.
  bool normalized = false;
  /// The networks read the direction that is asked for, too: one serves all of them.
  bool conditioned = false;
  int threads = 1;
};

/// Double Q-learning with a dueling network (van Hasselt et al. 2016, Wang et al. 2016) on transitions that may
/// become more. An action has a value for each outcome that is counted, and prices say what one more of each is
/// worth: for a transition from s by a to s' the values of a are drawn to
///
///   outcome + discount * Q_target(s', argmax_{a' recorded in s'} prices.Q(s', a')),
///
/// the last term being left out only where the episode was over. What the network says of outcomes is as true
/// whatever the prices were, so far as the same policy is followed.
///
/// Where states are numbered, the network sees each state of a batch once, however often it was drawn: what
/// the transitions say about it is summed before it goes back through the network. What the target network
/// thinks of a state is computed once between two synchronisations. Nothing is allocated once it is made.
class DeepQ {
 public:
  /// Transitions and recorded actions must outlive it; the network can be asked about `asked` things together.
  DeepQ(const WorldShape& shape, const Transitions& transitions, const RecordedActions& recorded,
        const DeepQSettings& settings, const Rng& rng, int asked = 1);

  static NetworkShape network_shape(const WorldShape& shape, const DeepQSettings& settings, int outcomes);

  void set_prices(const Eigen::Ref<const Eigen::VectorXf>& prices);
  /// The direction that conditioned networks are asked for from now on.
  void turn_to(const Eigen::Ref<const Eigen::VectorXf>& direction);
  /// There are other transitions than before, or more.
  void renew_groups();
  /// What features look like, one by one, where they are normalised.
  void look_at(const Eigen::Ref<const Eigen::VectorXf>& features);

  /// One step of Adam on a batch.
  void update(double learning_rate);
  std::int64_t updates() const { return done_; }

  /// For each of these, what the prices make of its actions: a column, up to a constant.
  void score(const Observations& seen, Eigen::Ref<Eigen::MatrixXf> scores);
  /// The greedy policy for the prices, as it is now. Its scores are the advantages, whose order is that of the
  /// values.
  std::shared_ptr<const NetworkPolicy> policy() const;

  Network& network() { return network_; }
  const Network& network() const { return network_; }
  /// Between updates: all that learning goes on from.
  void visit(StateVisitor& state);
  /// What has been learnt, and how far Adam is: a new one may go on with it, in its own random numbers.
  void visit_knowledge(StateVisitor& state);
  /// Those that it draws from, where they change: the last renewal may be a while ago.
  void visit_groups(StateVisitor& state);

 private:
  enum Head { kValue, kAdvantage };

  bool has_features() const { return transitions_.has_features(); }
  void synchronise();
  void scale_values();
  void draw();
  void note_states();
  void note_observations();
  void forward(Network& network, std::span<const int> seen, const Eigen::MatrixXf& features);
  void choose(std::span<const int> seen);
  void value_next();
  void learn(double learning_rate);
  void hold_down_unrecorded();
  float score(const float* advantages, int action) const;
  /// Of the j-th of what a network was asked about, in the tables.
  int key(std::span<const int> seen, int j) const { return has_features() ? j : seen[j]; }

  const Transitions& transitions_;
  const RecordedActions& recorded_;
  DeepQSettings settings_;
  int actions_, outcomes_;
  std::int64_t done_ = 0;
  Rng draws_;
  Team team_;
  Network network_, target_;
  Adam adam_;
  std::optional<Standardizer> standardizer_;
  Eigen::VectorXf prices_, weights_;             // weights_: of what the network says, which is in units of
  Eigen::VectorXf value_scale_, inverse_scale_;  // this, by outcome
  Vector mean_square_;                           // of what it is to say

  // Where sampling is balanced:
  std::vector<int> order_;        // transitions by state and action
  std::vector<int> group_begin_;  // the first of each group to draw from, and the end
  std::vector<int> count_;        // room for sorting

  // The batch, transition by transition:
  std::vector<int> drawn_;
  std::vector<int> column_;    // of what was seen before it, among the inputs
  std::vector<int> next_key_;  // of what was seen after it

  std::vector<int> inputs_;  // what was seen before the transitions, each state once
  std::vector<int> next_;    // what was seen after them and is not among the inputs
  std::vector<int> stale_;   // what was seen after them and the target network has not valued yet

  // Tables. The key is the state or, where features are observed, the place in `next_`.
  std::vector<int> greedy_;           // the recorded action that the network takes for best
  Eigen::MatrixXf target_q_;          // actions of each outcome x keys
  std::vector<std::int64_t> valued_;  // which synchronisation of the target network that is of
  std::vector<std::int64_t> noted_;   // the last update whose batch had the state ...
  std::vector<int> input_;            // ... and where it is among the inputs, if there
  std::int64_t synchronisations_ = 0;

  Eigen::MatrixXf gathered_, standard_;  // features to be valued
  Eigen::MatrixXf q_, q_gradient_;       // actions of each outcome x inputs
  Eigen::VectorXf squares_, factor_;     // by outcome
  Eigen::VectorXf action_factor_;        // by action of each outcome
  std::vector<float> visits_;            // by input: transitions of the batch that begin there
};

}  // namespace c2rl
