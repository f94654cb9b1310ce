#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/base/kinds.h"
#include "c2rl/base/ranks.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/oracle.h"

namespace c2rl {

/// What the solver makes the default of every oracle's options, and where oracles run.
struct OracleDefaults {
  bool warm_start = false;
  Ranks& ranks = lone_rank();  // that its calls may be made on
};

/// A kind of oracle.
struct OracleKind : KindInfo {
  bool exact = false;                  // answers are computed and proven: asking again is of no use
  bool needs_model = false;            // finitely many states with known probabilities
  bool needs_parts = false;            // such a model in parts, of which each rank has one
  bool needs_dataset = false;          // recorded episodes
  bool needs_numbered_states = false;  // what is seen is the index of a state, not features
  bool needs_numbered_actions = true;  // what is done is the index of an action, not real numbers
  bool needs_controls = false;         // what is done is real numbers, not the index of an action
  /// Training can go on from a policy found earlier (its option warm_start).
  bool can_go_on = false;
  bool brings_world = false;      // it acts in a world of its own, and runs the episodes there
  double time_limit = kInfinity;  // seconds a call, where a problem file says nothing
  /// From an [oracle] section and a world that suits it. Bad values are InputErrors: with their place, or
  /// with the key alone, which make_oracle finds the place of.
  std::function<std::unique_ptr<Oracle>(const Config& section, const World& world,
                                        const OracleDefaults& defaults)>
      make;

  /// An InputError at the section's `kind` where the world lacks what the kind needs. It says what that is,
  /// and which kinds need less.
  void check_suits(const Config& section, const World& world) const;
};

Kinds<OracleKind>& oracle_kinds();

/// The oracle of this kind that an [oracle] section describes. Bad values, and a world that does not suit,
/// are InputErrors that name file, line and field.
std::unique_ptr<Oracle> make_oracle(const OracleKind& kind, const Config& section, const World& world,
                                    const OracleDefaults& defaults = {});

/// What the traits of a kind mean, for listings.
std::vector<std::string> trait_words(const OracleKind& kind);

}  // namespace c2rl
