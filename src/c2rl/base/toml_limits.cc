#include "c2rl/base/toml_limits.h"

#include <algorithm>

#include <fmt/format.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

/// A parsed text takes some twenty times its size.
constexpr std::size_t kMostMebibytes = 16;

/// Behind the quoted text that begins at `begin`, with one quote or three; the end where nothing closes it, which is
/// for the parser to complain about.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string three(3, quote);
  const bool is_long = text.substr(begin, 3) == three;
  std::size_t at = begin + (is_long ? 3 : 1);
  while (at < text.size()) {
    if (text[at] == '\\' && quote == '"') {
      at += 2;
    } else if (is_long && text.substr(at, 3) == three) {
      at += 3;
      while (at < text.size() && text[at] == quote) ++at;  // up to two more belong to the text
      return at;
    } else if (!is_long && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else {
      ++at;
    }
  }
  return text.size();
}

}  // namespace

void check_toml_limits(std::string_view text, const std::string& file) {
  constexpr std::size_t kMebibyte = 1 << 20;
  if (text.size() > kMostMebibytes * kMebibyte) {
    throw InputError({.file = file},
                     fmt::format("has {} bytes, expected at most {} MiB", text.size(), kMostMebibytes));
  }
  int line = 1, dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = std::min(end_of_quoted(text, at), text.size());
      line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                          text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '\n') ++line;
    if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) dots = 0;
    if (c == '.' && ++dots >= kMostTomlKeyParts) {
      throw InputError({.file = file, .line = line},
                       fmt::format("found a key of more than {} parts, expected fewer", kMostTomlKeyParts));
    }
    ++at;
  }
}

}  // namespace c2rl
