#pragma once

#include <memory>

#include <nanobind/nanobind.h>

#include "c2rl/run/problem.h"
#include "callbacks.h"
#include "python_oracle.h"

namespace c2rl::python {

/// A problem that is read and checked, as Python holds it.
struct ProblemHandle {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<Failure> failure = {};    // of what is asked of Python
  std::shared_ptr<KeeperLink> keeper = {};  // of an oracle of Python's
};

/// What Python brings to a problem: an oracle (c2rl/_oracle.py: Keeper), and an environment (c2rl.environments.World, or a
/// model); or None.
ProblemHandle read_with(const Config& config, const nanobind::object& oracle, const nanobind::object& world);

}  // namespace c2rl::python
