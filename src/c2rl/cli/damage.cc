#include "c2rl/cli/damage.h"

#include <ostream>

#include "c2rl/run/run_directory.h"

namespace c2rl {

int report_damage(const std::string& run, const Console& console) {
  constexpr int kBadInput = 2;
  const std::vector<Finding> findings = RunDirectory::check(run);
  for (const Finding& finding : findings)
    console.err << "c2rl: " << to_string(finding.place) << finding.what << "\n";
  return findings.empty() ? 0 : kBadInput;
}

}  // namespace c2rl
