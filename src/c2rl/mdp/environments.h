#pragma once

#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/mdp/model.h"
#include "c2rl/mdp/world.h"

namespace c2rl {

/// A kind of environment, for problem files and the command line.
struct EnvironmentKind {
  std::string name;
  std::string summary;  // one line
};
const std::vector<EnvironmentKind>& environment_kinds();

/// The world that an [environment] section describes, by its `kind`. An unknown kind suggests the nearest
/// one; bad values are InputErrors that name file, line and field, and so are keys that the kind does not
/// know.
World make_world(const Config& section);

/// The kinds, each in a file of its own; the keys it reads are documented there.
World make_cart_pole(const Config& section);
TabularModel make_grid(const Config& section);
TabularModel make_deep_sea_treasure(const Config& section);
TabularModel make_mars_rover(const Config& section);
TabularModel make_rock_paper_scissors(const Config& section);
TabularModel make_worst_case(const Config& section);
TabularModel make_garnet(const Config& section);
TabularModel make_from_file(const Config& section);

/// How long episodes are.
struct Episode {
  double discount = 1.0;
  int horizon = 0;  // 0: episodes are never cut
};
/// What the kinds share: reads `discount` and `horizon`.
Episode read_episode(const Config& section, const Episode& defaults);
void read_episode(const Config& section, const Episode& defaults, TabularModel& model);

/// A whole number within bounds; `expected` says which in the error.
int read_count(const Config& section, const std::string& key, int fallback, int lowest, int highest);

}  // namespace c2rl
