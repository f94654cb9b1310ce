#pragma once

#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// What [environment.range] says of the totals of episodes: name = [lowest, highest].
class DeclaredRanges {
 public:
  /// Reads the table in a section of an environment, if there is one, so that its keys are known from then
  /// on.
  explicit DeclaredRanges(const Config& environment);

  /// Tells the world, whose names they must be. What its model can compute wins; a range that the model
  /// exceeds, or that leaves nothing of what the world itself says, is an InputError.
  void apply_to(World& world) const;

 private:
  struct Declared {
    std::string name;
    TotalRange range;
  };

  Config table_;
  std::vector<Declared> declared_;
};

}  // namespace c2rl
