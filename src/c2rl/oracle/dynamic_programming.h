#pragma once

#include <memory>
#include <optional>

#include "c2rl/mdp/model.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/oracle/shortest_path.h"
#include "c2rl/oracle/ties.h"
#include "c2rl/oracle/value_sweeps.h"

namespace c2rl {

struct DynamicProgrammingOptions {
  /// Shorter episodes first: on the navigation task the never-ending policy, equally good along (0, 1), costs
  /// a solver a hundred calls.
  Ties ties = Ties::shortest;
};

/// The exact oracle for models that are known and fit in memory. Its answers are proofs: J is computed, and
/// the slack bounds what rounding and ties within the tolerance can have lost.
class DynamicProgramming final : public Oracle {
 public:
  /// The model is validated.
  explicit DynamicProgramming(std::shared_ptr<const TabularModel> model,
                              const DynamicProgrammingOptions& options = {});

  int dim() const override { return model_->dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) override;

  std::shared_ptr<const TabularModel> model_;
  DynamicProgrammingOptions options_;
  BlockGraph graph_;
  std::optional<ShortestPaths> paths_;  // where the model allows
  double longest_episode_ = 0;          // where it has no horizon
};

}  // namespace c2rl
