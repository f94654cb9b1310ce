#pragma once

#include <span>
#include <vector>

#include "c2rl/base/vector.h"
#include "c2rl/mdp/fixed_point.h"
#include "c2rl/mdp/policy.h"
#include "c2rl/offline/empirical_model.h"

namespace c2rl {

/// What a policy may do in the visited states.
class PolicyDecisions {
 public:
  struct Decision {
    int state;
    int pair;
    double probability;  // above 0
  };

  /// An InputError where the policy is for fewer states than were visited, or changes over time while the
  /// model has no horizon. Keeps references.
  PolicyDecisions(const EmpiricalModel& model, const Policy& policy);

  /// State by state, those of this step; valid until another one is asked for.
  std::span<const Decision> at(int step);

 private:
  const EmpiricalModel& model_;
  const Policy& policy_;
  Matrix probabilities_;
  std::vector<Decision> decisions_;
  bool asked_ = false;
};

/// How a stationary policy moves between the visited states for as long as it goes on.
struct EmpiricalChain {
  /// Row s: the probabilities of going from s to each visited state, discounted; none where s is endless.
  SparseRows rows;
  /// Without discount: the policy may come from there to where it never ends.
  std::vector<bool> endless;

  EmpiricalChain(const EmpiricalModel& model, std::span<const PolicyDecisions::Decision> decisions);
};

}  // namespace c2rl
