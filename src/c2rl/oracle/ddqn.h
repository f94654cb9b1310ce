#pragma once

#include <memory>

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
class Ddqn final : public Oracle {
 public:
  /// The dataset is validated; `actions` are those of the world it was recorded in. States are observed, not
  /// features: J could not be estimated otherwise (else an InputError). An InputError also names the option
  /// that is out of its range.
  Ddqn(std::shared_ptr<const Dataset> dataset, const DdqnOptions& options, ActionCounts actions);

  int dim() const override { return dataset_->dim(); }
  bool is_offline() const override { return true; }
  bool goes_on() const override { return options_.warm_start; }
  /// What estimates J of the answers.
  const OffPolicyEvaluator& evaluator() const { return evaluator_; }

 private:
  OracleAnswer answer(const OracleCall& call) const override;

  std::shared_ptr<const Dataset> dataset_;
  DdqnOptions options_;
  std::shared_ptr<const RecordedActions> recorded_;
  OffPolicyEvaluator evaluator_;
};

}  // namespace c2rl
