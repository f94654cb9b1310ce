#pragma once

#include <string>
#include <vector>

#include "c2rl/base/options.h"
#include "c2rl/solve/maximize.h"

namespace c2rl {

/// What stands above the sections of a problem file.
struct ProblemHeading {
  std::string name = "problem";
  std::int64_t seed = 0;

  void visit(OptionVisitor& visitor);
};

/// How the most of something inside a target is found.
struct MaximizeOptions {
  MaximizeMethod method = MaximizeMethod::direct;

  void visit(OptionVisitor& visitor);
};

/// Keys of a problem file that belong to no kind.
struct ProblemKeys {
  std::string title;    // "Target"
  std::string section;  // "[target]"; what it is called in the file
  std::vector<OptionInfo> options;
};

/// All of them, section by section.
std::vector<ProblemKeys> problem_keys();

}  // namespace c2rl
