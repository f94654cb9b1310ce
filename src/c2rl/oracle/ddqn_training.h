#pragma once

#include <cstdint>
#include <memory>

#include "c2rl/base/random.h"
#include "c2rl/base/state_visitor.h"
#include "c2rl/offline/dataset.h"
#include "c2rl/oracle/ddqn_options.h"
#include "c2rl/oracle/deep_q.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/recorded_actions.h"
#include "c2rl/oracle/transitions.h"

namespace c2rl {

/// One training run of double Q-learning on a dataset, minimising direction.measurement. The only outcome that is
/// counted is the reward -direction.measurement, scaled so that the largest is 1 in size: the answer does not
/// depend on that, and no option does on the size of what is measured. Where an episode was cut, or the collection
/// ended, it would have gone on. Actions never recorded in a state are held below those that were, so that the
/// greedy policy does not take them. Nothing is allocated once training has begun.
class DdqnTraining {
 public:
  /// For `updates` steps. Begins with the parameters of `start` where given, which must be of the network
  /// these options describe. Recorded actions must outlive it.
  DdqnTraining(const Dataset& dataset, const RecordedActions& recorded, const DdqnOptions& options,
               const Vector& direction, std::int64_t updates, const Rng& rng,
               const NetworkPolicy* start = nullptr);
  DdqnTraining(const DdqnTraining&) = delete;
  DdqnTraining& operator=(const DdqnTraining&) = delete;

  /// One step of Adam on a batch.
  void update();
  /// Between updates: all that the training goes on from.
  void visit(StateVisitor& state) { learner_.visit(state); }
  std::int64_t updates() const { return learner_.updates(); }
  bool done() const { return updates() >= updates_; }
  double part_done() const { return static_cast<double>(updates()) / static_cast<double>(updates_); }

  /// The greedy policy as it is now, with the whole network, so that training can go on from it. Its scores are
  /// the advantages, whose order is that of the values.
  std::shared_ptr<const NetworkPolicy> policy() const;

 private:
  DdqnOptions options_;
  std::int64_t updates_;
  const RecordedActions& recorded_;
  Transitions transitions_;
  DeepQ learner_;
};

}  // namespace c2rl
