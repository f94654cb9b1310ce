#include "c2rl/mdp/mixed_policy.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

/// Weights of a mixture are normalised by those who compute them; what is left is rounding.
constexpr double kWeightSumTolerance = 1e-9;

}  // namespace

MixedPolicy::MixedPolicy(Vector weights, std::vector<PolicyPtr> policies)
    : weights_(std::move(weights)), policies_(std::move(policies)) {
  const auto fail = [](const std::string& message) { throw InputError({.field = "mixed policy"}, message); };
  if (policies_.empty()) fail("has no policies");
  if (std::ranges::any_of(policies_, [](const PolicyPtr& policy) { return policy == nullptr; })) {
    fail("one of its policies is missing");
  }
  if (weights_.size() != size()) fail(fmt::format("has {} weights for {} policies", weights_.size(), size()));
  for (const double weight : weights_) {
    if (!(weight >= 0)) fail(fmt::format("weight {} is negative or no number", weight));
  }
  if (std::abs(weights_.sum() - 1) > kWeightSumTolerance) {
    fail(fmt::format("the weights sum to {:.12g}; expected 1", weights_.sum()));
  }
}

int MixedPolicy::draw(Rng& rng) const {
  double left = rng.uniform() * weights_.sum();
  int last = 0;  // the last one with a positive weight, in case rounding leaves a rest
  for (int i = 0; i < size(); ++i) {
    if (weights_[i] == 0) continue;
    last = i;
    left -= weights_[i];
    if (left < 0) break;
  }
  return last;
}

}  // namespace c2rl
