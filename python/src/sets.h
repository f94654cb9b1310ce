#pragma once

#include "c2rl/geometry/convex_set.h"

namespace c2rl::python {

/// A set, as Python holds it.
struct SetHandle {
  SetPtr set;
};

}  // namespace c2rl::python
