#pragma once

#include <string>
#include <string_view>

namespace c2rl {

/// How deep arrays and inline tables may lie inside each other, and of how many parts a key may be. Both far beyond
/// any problem file: together they bound how deep a document is, so that no text can exhaust the stack.
inline constexpr int kMostTomlNesting = 32, kMostTomlKeyParts = 32;

/// An InputError where a text is too large to be a problem file, or one of its keys has too many parts. Nesting is
/// the parser's to check.
void check_toml_limits(std::string_view text, const std::string& file);

}  // namespace c2rl
