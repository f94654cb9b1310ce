#pragma once

#include <vector>

#include "c2rl/base/random.h"
#include "c2rl/base/vector.h"
#include "c2rl/mdp/policy.h"

namespace c2rl {

/// Draws one of its policies at the start of an episode and keeps it until the end, so its J is the weighted
/// mean of theirs.
class MixedPolicy {
 public:
  /// As many weights as policies, at least one; none negative, summing to 1.
  MixedPolicy(Vector weights, std::vector<PolicyPtr> policies);

  int size() const { return static_cast<int>(policies_.size()); }
  const Vector& weights() const { return weights_; }
  const Policy& policy(int i) const { return *policies_[i]; }
  const std::vector<PolicyPtr>& policies() const { return policies_; }

  /// The index of the policy to follow in one episode.
  int draw(Rng& rng) const;

 private:
  Vector weights_;
  std::vector<PolicyPtr> policies_;
};

}  // namespace c2rl
