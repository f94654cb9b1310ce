#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/mdp/dataset.h"
#include "c2rl/mdp/world.h"
#include "c2rl/nn/network.h"
#include "c2rl/oracle/ddqn_training.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/off_policy.h"
#include "c2rl/oracle/oracle.h"

namespace c2rl {

/// Reads the options from an [oracle] section.
DdqnOptions read_ddqn(const Config& section);

/// The dataset at the path that `dataset` names. It must have been recorded in this world, as far as its
/// header and its actions can tell; an InputError names the file and the field that does not fit.
std::shared_ptr<const Dataset> read_dataset_of(const Config& section, const World& world);

/// Offline double Q-learning with a dueling network (van Hasselt et al. 2016, Wang et al. 2016). All it knows
/// are recorded transitions: there is nothing here to act in, so an answer takes no step of an environment,
/// and its J is an off-policy estimate from the same transitions.
class Ddqn final : public Oracle {
 public:
  /// The dataset is validated; `actions` are those of the world it was recorded in. States are observed, not
  /// features: J could not be estimated otherwise (else an InputError).
  Ddqn(std::shared_ptr<const Dataset> dataset, const DdqnOptions& options, ActionCounts actions);

  int dim() const override { return dataset_->dim(); }
  bool is_offline() const override { return true; }
  /// What estimates J of the answers.
  const OffPolicyEvaluator& evaluator() const { return evaluator_; }

 private:
  OracleAnswer answer(const OracleCall& call) override;

  std::shared_ptr<const Dataset> dataset_;
  DdqnOptions options_;
  RecordedActions recorded_;
  OffPolicyEvaluator evaluator_;
};

}  // namespace c2rl
