#pragma once

#include <string>
#include <vector>

#include "c2rl/run/result.h"

namespace c2rl {

/// How it ended, in one sentence.
std::string headline(const Result& result);

/// What the claim rests on: proof, or fresh episodes and what they showed; what the model says of it; and
/// what is missing where nothing could be shown.
std::string claim_words(const Result& result);

/// A sentence about episodes that the horizon cut, where they are more than a few; `cut` and `episodes` are
/// shares of the mixture's.
std::string cut_words(const Result& result);

/// The size of what each measurement of the mixture was computed from.
Vector sizes_of(const Result& result);
/// The size of what the objective was computed from.
double size_of(const ObjectiveOptimum& optimum, const Result& result);

/// "12,345"
std::string with_commas(double count);
/// "1 oracle call", "2 oracle calls"
std::string counted(int count, const char* what);

}  // namespace c2rl
