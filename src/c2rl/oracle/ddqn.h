#pragma once

#include <memory>
#include <vector>

#include "c2rl/offline/dataset.h"
#include "c2rl/offline/off_policy.h"
#include "c2rl/oracle/ddqn_options.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/oracle.h"

namespace c2rl {

class RecordedActions;

/// Offline double Q-learning with a dueling network (van Hasselt et al. 2016, Wang et al. 2016). All it knows
/// are recorded transitions: there is nothing here to act in, so an answer takes no step of an environment,
/// and its J is an off-policy estimate from the same transitions.
///
/// That estimate is of a policy that was chosen for what these transitions show, which is better than it is.
/// A part of the episodes is therefore kept apart, from learning and from the answers: they judge. In a
/// deterministic world the data show J itself wherever they show anything, so that nothing is kept apart.
class Ddqn final : public Oracle {
 public:
  /// The dataset is validated; `actions` are those of the world it was recorded in. States are observed, not
  /// features: J could not be estimated otherwise (else an InputError). An InputError also names the option
  /// that is out of its range. `deterministic` says so of the world.
  Ddqn(const std::shared_ptr<const Dataset>& dataset, const DdqnOptions& options, ActionCounts actions,
       bool deterministic = false);

  int dim() const override { return dataset_->dim(); }
  bool is_offline() const override { return true; }
  bool goes_on() const override { return options_.warm_start; }
  std::int64_t judging_episodes() const override { return std::ssize(judging_); }
  /// With an infinite standard error where so few episodes tell nothing; of methods that weigh them, too
  /// where few carry the weight.
  DataEstimate judge(const Policy& policy, std::int64_t first, std::int64_t count) const override;
  /// The episodes it learns from.
  const Dataset& learning_data() const { return *learning_; }
  /// What estimates J of the answers.
  const OffPolicyEvaluator& evaluator() const { return evaluator_; }

 private:
  Ddqn(std::shared_ptr<const Dataset> dataset, const DdqnOptions& options, ActionCounts actions,
       bool deterministic, EpisodeSplit split);

  OracleAnswer answer(const OracleCall& call) const override;

  DataEstimate conclude(const Policy& policy, OffPolicyEstimate found) const;

  DdqnOptions options_;
  bool deterministic_;
  std::shared_ptr<const Dataset> dataset_, learning_;  // all of it, and what it learns from
  std::vector<int> judging_;                           // the other episodes
  std::shared_ptr<const RecordedActions> recorded_;
  OffPolicyEvaluator evaluator_;
};

}  // namespace c2rl
