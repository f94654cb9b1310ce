#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/base/random.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/nn/adam.h"
#include "c2rl/nn/network.h"
#include "c2rl/offline/dataset.h"
#include "c2rl/oracle/ddqn_options.h"
#include "c2rl/oracle/network_policy.h"

namespace c2rl {

/// An InputError at `place` for the first transition whose action its state does not have.
void check_actions(const Dataset& dataset, const ActionCounts& actions, const Place& place);

/// Which actions were ever recorded where. The value of any other is made up by the network, and the highest
/// of such values would be believed the most: no target counts on them. Of a state that nothing was recorded
/// of, and where features are observed, all actions count as recorded.
class RecordedActions {
 public:
  /// An InputError where a recorded action does not exist.
  RecordedActions(const Dataset& dataset, ActionCounts actions);

  const ActionCounts& counts() const { return counts_; }
  bool has(int state, int action) const { return recorded_[entry(state, action)] != 0; }
  /// Every action of the state counts as recorded.
  bool all(int state) const { return all_[by_state_ ? state : 0] != 0; }

 private:
  std::size_t entry(int state, int action) const {
    return static_cast<std::size_t>(by_state_ ? state : 0) * counts_.most() + action;
  }

  ActionCounts counts_;
  bool by_state_;
  std::vector<std::uint8_t> recorded_;  // by state and action; one row where features are observed
  std::vector<std::uint8_t> all_;       // by state
};

/// One training run of double Q-learning on a dataset, minimising direction.measurement. The reward is
/// -direction.measurement, scaled so that the largest is 1 in size: the answer does not depend on that, and
/// no option does on the size of what is measured. For a transition from s by a to s' the value of a is
/// drawn to
///
///   reward + discount * Q_target(s', argmax_{a' recorded in s'} Q(s', a')),
///
/// the last term being left out only where the episode was over: where it was cut, or the collection ended,
/// it would have gone on. Actions never recorded in a state are held below those that were, so that the
/// greedy policy does not take them.
///
/// Where states are numbered, the network sees each state of a batch once, however often it was drawn: what
/// the transitions say about it is summed before it goes back through the network. What the target network
/// thinks of a state is computed once between two synchronisations. Nothing is allocated once training has
/// begun.
class DdqnTraining {
 public:
  /// For `updates` steps. Begins with the parameters of `start` where given, which must be of the network
  /// these options describe. Dataset and recorded actions must outlive it.
  DdqnTraining(const Dataset& dataset, const RecordedActions& recorded, const DdqnOptions& options,
               const Vector& direction, std::int64_t updates, const Rng& rng,
               const NetworkPolicy* start = nullptr);

  /// One step of Adam on a batch.
  void update();
  /// Between updates: all that the training goes on from.
  void visit(StateVisitor& state);
  bool done() const { return done_ >= updates_; }
  double part_done() const { return static_cast<double>(done_) / static_cast<double>(updates_); }

  /// The greedy policy as it is now. Its scores are the advantages, whose order is that of the values.
  std::shared_ptr<const NetworkPolicy> policy() const;

  static NetworkShape shape(const Dataset& dataset, const DdqnOptions& options);

 private:
  /// A transition as training needs it. What is seen is a state, or a column of the dataset's observations.
  struct Step {
    int seen, next_seen;
    int action;
    float reward;
    float discount;  // of what comes next; 0: nothing does
  };

  void draw();
  void note_states();
  void note_observations();
  void forward(Network& network, std::span<const int> seen, const Eigen::MatrixXf& observations);
  void choose(std::span<const int> seen);
  void value_next();
  void learn();
  void hold_down_unrecorded();
  /// Of the j-th of what a network was asked about, in the tables.
  int key(std::span<const int> seen, int j) const { return features_ ? j : seen[j]; }

  const Dataset& dataset_;
  const RecordedActions& recorded_;
  DdqnOptions options_;
  bool features_;
  std::int64_t updates_;
  std::int64_t done_ = 0;
  Rng draws_;
  Network network_, target_;
  Adam adam_;
  std::vector<Step> steps_;       // where sampling is balanced, by state and action
  std::vector<int> group_begin_;  // the first step of each group to draw from, and the end

  // The batch, transition by transition:
  std::vector<int> drawn_;     // steps
  std::vector<int> column_;    // of what was seen before it, among the inputs
  std::vector<int> next_key_;  // of what was seen after it

  std::vector<int> inputs_;  // what was seen before the transitions, each state once
  std::vector<int> next_;    // what was seen after them and is not among the inputs
  std::vector<int> stale_;   // what was seen after them and the target network has not valued yet

  // Tables. The key is the state or, where features are observed, the place in `next_`.
  std::vector<int> greedy_;           // the recorded action that the network takes for best
  Eigen::MatrixXf target_q_;          // actions x keys
  std::vector<std::int64_t> valued_;  // which synchronisation of the target network that is of
  std::vector<std::int64_t> noted_;   // the last update whose batch had the state ...
  std::vector<int> input_;            // ... and where it is among the inputs, if there
  std::int64_t synchronisations_ = 0;

  Eigen::MatrixXf gathered_;        // features to be valued
  Eigen::MatrixXf q_, q_gradient_;  // actions x inputs
  std::vector<float> visits_;       // by input: transitions of the batch that begin there
};

}  // namespace c2rl
