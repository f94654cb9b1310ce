#pragma once

#include <memory>
#include <string>
#include <vector>

#include "c2rl/base/config.h"
#include "c2rl/mdp/world.h"
#include "c2rl/oracle/oracle.h"

namespace c2rl {

/// A kind of oracle, for problem files and the command line.
struct OracleKind {
  std::string name;
  std::string summary;  // one line
};
const std::vector<OracleKind>& oracle_kinds();

/// The oracle that an [oracle] section describes, by its `kind` (default: dynamic-programming). An unknown
/// kind suggests the nearest one; bad values are InputErrors that name file, line and field.
std::unique_ptr<Oracle> make_oracle(const Config& section, const World& world);

}  // namespace c2rl
