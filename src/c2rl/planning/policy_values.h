#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/mdp/relaxation.h"
#include "c2rl/planning/state_order.h"

namespace c2rl {

/// What a stationary policy measures from every state that the model can reach, all measurements in the same sweeps. The
/// model must discount and have no end. The same policy gives the same numbers, to the bit, so that they may be kept for
/// later or computed again.
class PolicyValues {
 public:
  /// An action for each state; `expected` is what choices measure. `whole`: the equations of these actions, where all
  /// states are one component and somebody has them; they make it no other, only sooner.
  PolicyValues(const TabularModel& model, const StateOrder& order, const Matrix& expected,
               std::span<const std::int32_t> actions, Relaxation* whole = nullptr,
               const Pulse& listener = {});

  /// Along a direction, of every state; 0 of those that cannot be reached.
  std::vector<double> along(const Vector& direction) const;
  /// From the start.
  const Evaluation& evaluation() const { return evaluation_; }
  int sweeps() const { return sweeps_; }

 private:
  Matrix values_;  // a column for each state
  Evaluation evaluation_;
  int sweeps_ = 0;
};

}  // namespace c2rl
