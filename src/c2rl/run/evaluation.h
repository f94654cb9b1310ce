#pragma once

#include <optional>
#include <string>
#include <vector>

#include "c2rl/mdp/mixed_policy.h"
#include "c2rl/run/measured.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/run_directory.h"

namespace c2rl {

enum class Verdict { inside, outside, undecided };
std::string to_string(Verdict verdict);

/// The mixed policy of a run on fresh episodes.
struct RunEvaluation {
  std::vector<Measured> members;
  Vector measurement;     // of the mixture
  Vector standard_error;  // of each entry
  /// J lies between these, all entries at once, with the given confidence.
  Vector lower, upper;
  double confidence = 0;
  /// How large an episode's total can get is not known: what happened in no episode is taken not to matter.
  bool assumes_nothing_unseen = false;
  Verdict verdict = Verdict::undecided;  // with that confidence
  /// How many episodes per policy would decide it, if the measurement stays where it is; nothing when no
  /// number would, the mixture being on the boundary of the target.
  std::optional<double> episodes_to_decide;
};

/// `episodes` fresh ones for each policy of the mixture, so that each weight's share is estimated by itself;
/// one where nothing is left to chance. The same limits as those that a run is confirmed with.
RunEvaluation evaluate_run(const Problem& problem, const MixedPolicy& mixed, int episodes, const Rng& rng);

/// The mixture a run has found.
MixedPolicy load_mixture(const RunDirectory& directory, const World& world);

/// Of what measured points are claimed with.
inline constexpr double kConfidence = 0.95;

/// z with P(|normal| <= z) = 1 - (1 - confidence) / count: each of `count` intervals this wide holds, and
/// together they all hold with the confidence.
double simultaneous_quantile(double confidence, int count);

}  // namespace c2rl
