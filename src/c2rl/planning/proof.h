#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "c2rl/mdp/model.h"
#include "c2rl/planning/optimal_values.h"
#include "c2rl/planning/state_order.h"

namespace c2rl {

/// What one look at every choice says of values.
struct Proof {
  /// The largest amount by which one Bellman step improves on the values, rounding included: whatever the
  /// values are, no policy's are smaller by more than this times the expected number of its steps.
  double residual = 0;
  std::vector<std::uint8_t> optimal;  // choices that are as good as the best one
  bool tied = false;                  // some state has several of them
};

/// Of all states, or of these alone; of the choices that are allowed.
Proof prove(const TabularModel& model, const StateOrder& order, const std::vector<double>& value,
            const OptimalValues::Task& task);
Proof prove(const TabularModel& model, const StateOrder& order, std::span<const std::int32_t> states,
            const std::vector<double>& value, const OptimalValues::Task& task);

/// In every state that was looked at the optimal choice with the smallest preference, or the first.
void take_preferred(const TabularModel& model, const StateOrder& order, const Proof& proof,
                    const std::vector<std::uint32_t>& preference, std::vector<std::int32_t>& actions);

}  // namespace c2rl
