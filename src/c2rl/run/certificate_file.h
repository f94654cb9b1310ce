#pragma once

#include <string>

namespace c2rl {

/// What proves the claim of a run, as JSON that can be checked with nothing of c2rl: the model, the constraints, and
///
///   for a mixture inside:  weights and policies, written out
///   for a proven bound:    the direction, what no policy can undercut from each state on, and multipliers of the
///                          constraints that add up to the direction
///
/// docs/verify.md describes it, examples/check_certificate.py checks it. An InputError says what is missing: a model,
/// constraints that are all linear, a claim, or room, where writing it out would take too much.
std::string certificate_text(const std::string& run);

}  // namespace c2rl
