#pragma once

#include <string>
#include <utility>

#include "c2rl/base/error.h"

namespace c2rl::python {

/// What stands for a file where options were given as keywords. It is no part of a message, and neither are lines.
inline constexpr const char* kKeywords = "<keywords>";

/// Likewise of a value that was changed by a keyword: the command would be told by an option.
inline constexpr const char* kOverride = "--set ";

/// What `read` makes of options; where they were given as keywords, errors name the keyword alone.
template <typename Read>
auto of_keywords(Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string& file = error.place().file;
    if (file != kKeywords && !file.starts_with(kOverride)) throw;
    throw InputError({.field = error.place().field}, error.message());
  }
}

}  // namespace c2rl::python
