#pragma once

#include "c2rl/base/options.h"
#include "c2rl/nn/network.h"

namespace c2rl {

/// The threads of a training that is to have `asked`, 0 for all: no more than may work for this one, which in a cell of
/// an experiment is itself alone, and no more than the passes of such a network have work for, with so many inputs.
int training_threads(int asked, const NetworkShape& network, int inputs);

void visit_threads(OptionVisitor& visitor, int& threads);

}  // namespace c2rl
