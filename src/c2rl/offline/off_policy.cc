#include "c2rl/offline/off_policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "c2rl/offline/empirical_model.h"
#include "c2rl/offline/episode_weights.h"
#include "c2rl/offline/fitted_q.h"

namespace c2rl {
namespace {

/// Entries of a table over states and actions; more would not fit into memory.
constexpr std::int64_t kMostPairs = 100'000'000;

}  // namespace

const EnumNames<OffPolicyMethod>& off_policy_method_names() {
  static const EnumNames<OffPolicyMethod> kNames(
      "off_policy", {"fitted-q", "importance", "weighted-importance", "doubly-robust"});
  return kNames;
}

std::string to_string(OffPolicyMethod method) {
  return off_policy_method_names().of(method);
}

OffPolicyMethod off_policy_method_from_string(const std::string& name) {
  return off_policy_method_names().parse(name);
}

/// The dataset summed up, as every estimate needs it. The halves are there for estimates that must not be
/// fitted to the episodes they are applied to.
struct OffPolicyEvaluator::Summary {
  StepRange range;
  VisitedStates visited;
  EmpiricalModel all;
  std::array<EmpiricalModel, 2> halves;  // the even episodes, the odd ones
  CompleteEpisodes episodes;

  Summary(const Dataset& dataset, const KnownWorld& known)
      : range(known.steps ? *known.steps : dataset),
        visited(dataset),
        all(dataset, visited, range, EmpiricalModel::Part::all, known.deterministic),
        halves{EmpiricalModel(dataset, visited, range, EmpiricalModel::Part::even),
               EmpiricalModel(dataset, visited, range, EmpiricalModel::Part::odd)},
        episodes(dataset, visited, range) {}
};

OffPolicyEvaluator::OffPolicyEvaluator(std::shared_ptr<const Dataset> dataset, const KnownWorld& known)
    : dataset_(std::move(dataset)) {
  if (dataset_->states == 0) {
    throw InputError({.field = "dataset"},
                     "off-policy evaluation needs states that are numbered; found features");
  }
  if (std::int64_t{dataset_->states} * dataset_->actions > kMostPairs) {
    throw InputError({.field = "dataset"},
                     fmt::format("found {} states with {} actions, expected at most {} pairs",
                                 dataset_->states, dataset_->actions, kMostPairs));
  }
  summary_ = std::make_unique<const Summary>(*dataset_, known);
}

OffPolicyEvaluator::~OffPolicyEvaluator() = default;

OffPolicyEstimate OffPolicyEvaluator::estimate(OffPolicyMethod method, const Policy& policy) const {
  const EmpiricalOccupancy occupancy = empirical_occupancy(summary_->all, policy);
  OffPolicyEstimate result;
  result.unsupported = occupancy.visits > 0 ? occupancy.unsupported / occupancy.visits : 0;
  if (method == OffPolicyMethod::fitted_q) {
    FittedEstimate fitted = fitted_q(summary_->all, policy, occupancy);
    result.measurement = std::move(fitted.measurement);
    result.standard_error = std::move(fitted.standard_error);
    result.effective_episodes = summary_->all.episodes();
    return result;
  }
  const EpisodeWeights weights(summary_->episodes, policy);
  result.effective_episodes = weights.effective_episodes();
  if (method == OffPolicyMethod::importance) {
    importance(weights, result.measurement, result.standard_error);
  } else if (method == OffPolicyMethod::weighted_importance) {
    weighted_importance(weights, result.measurement, result.standard_error);
  } else {
    doubly_robust(weights, summary_->halves, policy, result.measurement, result.standard_error);
    // What no episode follows the policy to rests on the fitted values alone, and so does the error.
    if (weights.followed_steps() < kAllSteps) {
      const Vector fitted = fitted_q(summary_->all, policy, occupancy).standard_error;
      result.standard_error = (result.standard_error.cwiseAbs2() + fitted.cwiseAbs2()).cwiseSqrt();
    }
  }
  return result;
}

}  // namespace c2rl
