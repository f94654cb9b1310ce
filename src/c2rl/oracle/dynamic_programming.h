#pragma once

#include <memory>

#include "c2rl/base/options.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/oracle/oracle.h"
#include "c2rl/planning/ties.h"

namespace c2rl {

struct DynamicProgrammingOptions {
  Ties ties = Ties::shortest;

  /// Ranges and reasons.
  void visit(OptionVisitor& visitor);
};

/// The exact oracle for models that are known and fit in memory. Its answers are proofs: J is computed, and
/// the slack bounds what rounding and ties within the tolerance can have lost.
class DynamicProgramming final : public Oracle {
 public:
  /// The model is validated. Where it has no horizon, its longest episode is found here, which takes as long
  /// as a call.
  explicit DynamicProgramming(std::shared_ptr<const TabularModel> model,
                              const DynamicProgrammingOptions& options = {}, const Pulse& listener = {});

  int dim() const override { return model_->dim(); }

 private:
  OracleAnswer answer(const OracleCall& call) const override;

  std::shared_ptr<const TabularModel> model_;
  DynamicProgrammingOptions options_;
  struct Structure;  // of the model: what no direction changes
  std::shared_ptr<const Structure> structure_;
};

}  // namespace c2rl
