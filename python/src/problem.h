#pragma once

#include <memory>
#include <optional>

#include <nanobind/nanobind.h>

#include "c2rl/run/problem.h"
#include "callbacks.h"
#include "python_oracle.h"
#include "sets.h"

namespace c2rl::python {

/// A problem that is read and checked, as Python holds it.
struct ProblemHandle {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<Failure> failure = {};    // of what is asked of Python
  std::shared_ptr<KeeperLink> keeper = {};  // of an oracle of Python's
};

/// What Python brings to a problem: an oracle (c2rl/_oracle.py: Keeper), an environment (c2rl.environments.World, or a
/// model), and a set; or None.
ProblemHandle read_with(const Config& config, const nanobind::object& oracle, const nanobind::object& world,
                        const std::optional<SetHandle>& set);

}  // namespace c2rl::python
