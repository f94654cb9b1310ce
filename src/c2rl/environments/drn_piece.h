#pragma once

#include <optional>
#include <vector>

#include "c2rl/environments/drn_header.h"
#include "c2rl/environments/model_ends.h"
#include "c2rl/mdp/model.h"

namespace c2rl {

/// What a stretch of a file says, which has whole states.
struct DrnPiece {
  TabularModel states;      // but for the start; `next` is in the whole model
  int first = 0;            // of these states
  int choices = 0;          // that were found, those of terminal states included
  StateLabels labels;       // of these states, numbered as in the whole model
  std::vector<int> starts;  // likewise
};

/// Reads all lines. They begin with state `first`; or, without one, with any.
DrnPiece read_drn_piece(DrnLines& lines, const ModelEnds& ends, const DrnHeader& header,
                        std::optional<int> first);

}  // namespace c2rl
