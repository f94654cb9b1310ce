#pragma once

#include <memory>
#include <string>
#include <vector>

#include "c2rl/base/enum_names.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/offline/dataset.h"

namespace c2rl {

/// How J of a policy is estimated from episodes of another one.
enum class OffPolicyMethod {
  /// The value of the policy in the world the data shows: the mean measurement and the frequencies of the
  /// outcomes of every state and action. Least spread; needs every action the policy takes to be in the data.
  fitted_q,
  /// Per-decision importance sampling: what a step measured counts as much more as the policy, rather than
  /// the behaviour, would have come there. Unbiased; its spread grows quickly with the length of episodes.
  importance,
  /// The same with the weights of each step scaled to sum to 1. Biased by as much as there is little data, in
  /// exchange for far less spread.
  weighted_importance,
  /// Importance sampling of what fitted-q did not foresee (Jiang and Li 2016). The values for one half of the
  /// episodes are fitted to the other, which keeps it unbiased.
  doubly_robust,
};
/// "fitted-q", "importance", "weighted-importance", "doubly-robust".
std::string to_string(OffPolicyMethod method);
const EnumNames<OffPolicyMethod>& off_policy_method_names();
/// An unknown name is an InputError that suggests the nearest one.
OffPolicyMethod off_policy_method_from_string(const std::string& name);

/// What a policy measures on average, as far as episodes of another one tell.
struct OffPolicyEstimate {
  Vector measurement;
  /// Of each entry. Beside the spread it holds, as far as the policy goes where the data does not, the most
  /// that could happen there: see OffPolicyEvaluator. That of fitted-q also allows for what a few visits do
  /// not show, so that one-sided normal limits hold for little data, too. Infinite where nothing bounds that,
  /// or where nothing was seen twice and no spread is known.
  Vector standard_error;
  /// Kish's effective size (sum w)^2 / sum w^2 of the weights of whole episodes; all episodes for fitted-q.
  /// Below some dozens, the few episodes that carry the weight do not show the spread of all: then the
  /// standard errors of importance sampling, weighted or not, are too small, often by far.
  double effective_episodes = 0;
  /// The share of the policy's visits, discounted, to actions that the data never took there.
  double unsupported = 0;
};

/// What is known of the world that the data come from, beside them.
struct KnownWorld {
  /// One start, and steps without chance: nothing happens but what was seen.
  bool deterministic = false;
  /// Steps measure something in the range of these data; the evaluator's own where there are none.
  const Dataset* steps = nullptr;
};

/// Estimates J of policies from a dataset alone. Built once, it keeps the data summed up, so that a policy
/// costs little; `estimate` may be called from several threads.
///
/// Where the policy takes an action that was never recorded in that state, the data says nothing. Then every
/// step from there on is taken to measure something in the range seen in the whole dataset, or the episode to
/// end: fitted-q counts the middle of what that allows over the steps left, and adds the distance to its ends
/// to the standard error, times the probability of going there. Importance sampling does so from the step on
/// that no recorded episode follows the policy to. Without horizon and discount the error is then infinite.
///
/// Importance sampling uses complete episodes only, fitted-q all transitions.
class OffPolicyEvaluator {
 public:
  /// The dataset is validated and not empty; states, not features, are observed (else an InputError).
  explicit OffPolicyEvaluator(std::shared_ptr<const Dataset> dataset, const KnownWorld& known = {});
  ~OffPolicyEvaluator();

  /// The policy is one for the world of the data. An InputError where it is for fewer states, where it
  /// changes over time but the dataset has no horizon, where a method that weighs episodes has fewer than two
  /// complete ones, or where without horizon and discount the policy never ends in the world the data shows.
  OffPolicyEstimate estimate(OffPolicyMethod method, const Policy& policy) const;

 private:
  struct Summary;

  std::shared_ptr<const Dataset> dataset_;
  std::unique_ptr<const Summary> summary_;
};

}  // namespace c2rl
