#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "c2rl/mdp/evaluate.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/mdp/progress.h"
#include "c2rl/planning/refinement.h"
#include "c2rl/planning/shortest_path.h"
#include "c2rl/planning/state_order.h"
#include "c2rl/planning/value_sweeps.h"

namespace c2rl {

/// What part of planning sweeps and policy iteration are, at most; the rest is evaluating what they found.
inline constexpr double kPlanned = 0.9;

/// A policy that minimises the expected cost of a scalar problem, and the proof.
struct Optimum {
  PolicyPtr policy;
  Evaluation evaluation;   // of the policy
  double lower_bound = 0;  // no policy costs less, rounding included
  int sweeps = 0;          // Bellman sweeps it took; none where every state was looked at once
};

/// What planning begins with; nothing, where it has no actions.
struct Beginning {
  std::vector<std::int32_t> actions = {};  // of a policy, one for each state
  Eigen::MatrixXf values = {};             // the policy's (TabularPolicy::values), where it has any
};

/// For deterministic models where everything costs something, with a horizon or without; else nothing.
std::optional<Optimum> shortest_path(const TabularModel& model, const ShortestPaths& paths,
                                     const ScalarProblem& problem);

/// For models with a horizon: backward induction over time-dependent policies, which are all that can matter.
/// Stops when the outlooks have stopped changing. The answer is stationary where that is as good, shown by
/// evaluating it; else it is stored with its changes over time.
Optimum backward_induction(const TabularModel& model, const BlockGraph& graph, const ScalarProblem& problem,
                           const Vector& direction, const Progress& progress = {});

/// An upper bound on the expected number of steps, discounted, from any reachable state under any policy; for
/// models without a horizon.
double longest_episode(const TabularModel& model, const StateOrder& order, const Pulse& listener = {});

/// For models without a horizon: inexact policy iteration over stationary policies, and a proof by one look at
/// every choice that trusts nothing of it. Ties are decided by a second one among the optimal choices. `longest`
/// is the model's longest episode.
Optimum policy_iteration(const TabularModel& model, const StateOrder& order, const ScalarProblem& problem,
                         double longest, const Beginning& start = {}, const Progress& progress = {});

/// For models that discount and have no end, where all policies have as many steps: the same, but that the proof is about
/// the values of the answer itself, all of whose measurements are computed with them, and that choices which were worse by
/// more than values have come apart since are not looked at again. `expected` is what choices measure;
/// `refinement` what planning works on, of what is measured under any policy, where equations are usable, else none. The answer's policy has values, for
/// calls that begin with it.
Optimum endless_policy_iteration(const TabularModel& model, const StateOrder& order, const Matrix& expected,
                                 const ScalarProblem& problem, const Vector& direction,
                                 Refinement* refinement, const Beginning& start = {},
                                 const Progress& progress = {});

}  // namespace c2rl
