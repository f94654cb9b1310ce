#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "c2rl/mdp/model.h"
#include "c2rl/planning/scalar_problem.h"

namespace c2rl {

/// Optimal stationary actions of a deterministic, undiscounted model whose choices all cost something, by
/// Dijkstra's algorithm from the terminal states backwards: every state is looked at once, where sweeps look
/// at it once per step of the longest path.
///
/// Why it is exact under a horizon too: with costs of at least c > 0, an episode that is still going on after
/// `horizon` steps has cost horizon c. If the shortest path from every start is cheaper than that, no optimal
/// policy is ever cut.
class ShortestPaths {
 public:
  /// Keeps a reference to the model. `usable` says whether the model is of this kind.
  explicit ShortestPaths(const TabularModel& model);
  static bool usable(const TabularModel& model) {
    return model.discount == 1 && model.choices() == model.transitions();
  }

  struct Result {
    Outlook start;                      // expected over the start distribution
    double rounding = 0;                // start.value is this near to the true one
    std::vector<std::int32_t> actions;  // of every state; 0 where no end is in reach before the horizon
  };

  /// Nothing if some choice pays, or if an optimal policy might be cut by the horizon.
  std::optional<Result> solve(const ScalarProblem& problem) const;

 private:
  std::optional<Result> solve_free(const ScalarProblem& problem) const;

  const TabularModel& model_;
  std::vector<std::int32_t> entry_begin_, entry_;  // the states with a choice that leads to a state
};

}  // namespace c2rl
