#pragma once

#include "c2rl/mdp/policy.h"

namespace c2rl::python {

/// A policy, as Python holds it.
struct PolicyHandle {
  PolicyPtr policy;
};

}  // namespace c2rl::python
