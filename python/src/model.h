#pragma once

#include <memory>

#include "c2rl/mdp/model.h"

namespace c2rl::python {

/// A validated model, as Python holds it.
struct ModelHandle {
  std::shared_ptr<const TabularModel> model;
};

}  // namespace c2rl::python
