#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/config.h"

namespace c2rl {

/// The key `measurements` of a world that measures what others say.
inline std::vector<std::string> named_measurements(const Config& section) {
  std::vector<std::string> names = section.text_list("measurements");
  section.expect(!names.empty(), "measurements", "the name of at least one");
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (name->empty() || std::find(names.begin(), name, *name) != name)
      section.fail("measurements", fmt::format("found '{}', expected names, each of them once", *name));
  }
  return names;
}

}  // namespace c2rl
