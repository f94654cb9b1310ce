#pragma once

#include <string>
#include <string_view>

#include "c2rl/environments/model_ends.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/model_part.h"

namespace c2rl {

/// The unified Markov binary format (UMB, version 1), which Storm, PRISM and Modest write and read: arrays in a tar
/// archive, which gzip may have compressed. MDPs and DTMCs with probabilities as doubles.
///
/// - Every reward annotation is a measurement, called by its alias where it has one. A step measures what the state it
///   is taken in, its choice and its branch have, together. An atomic proposition is a label.
/// - Initial states are equally likely, unless the annotation `start` of group `c2rl` says how likely each is.
/// - What is terminal, what a choice's probabilities may sum to, are as in DRN (drn.h).
///
/// Anything malformed is an InputError with file and reason.
TabularModel parse_umb(std::string_view bytes, const std::string& file, const ModelEnds& ends = {},
                       StateLabels* labels = nullptr);

ModelFileShape umb_shape(std::string_view bytes, const std::string& file);
/// Part `index` of `of` of the model, of which no more is looked at. `reached` is not among the ends, and nothing is compressed.
ModelPart parse_umb_part(std::string_view bytes, const std::string& file, const ModelEnds& ends, int index,
                         int of);

/// Whether bytes are those of an archive, compressed or not.
bool looks_like_umb(std::string_view bytes);

/// The model as UMB, not compressed. Terminal states get a choice that stays there and measures nothing, which is what
/// the tools that read this expect. A model none of whose choices all stay in place for nothing reads back identical to
/// the last bit.
std::string to_umb(const TabularModel& model, const StateLabels& labels = {});

}  // namespace c2rl
