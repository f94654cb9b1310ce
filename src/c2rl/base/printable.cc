#include "c2rl/base/printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace c2rl {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: the text does not begin with a character
};

/// The first character of a text that is not empty. Longer forms than need be, surrogates and what is beyond Unicode
/// are none.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80             ? 1
                            : (byte(0) & 0xE0) == 0xC0 ? 2
                            : (byte(0) & 0xF0) == 0xE0 ? 3
                            : (byte(0) & 0xF8) == 0xF0 ? 4
                                                       : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = bytes == 1 ? byte(0) : byte(0) & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || is_surrogate) return {};
  return {code, bytes};
}

bool is_order(std::uint32_t code) {
  if (code == '\n' || code == '\t') return false;
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return is_control || turns;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character first = first_of(text);
    if (first.bytes == 0)
      shown += kReplacement;
    else if (is_order(first.code))
      shown += fmt::format("\\u{:04x}", first.code);
    else
      shown += text.substr(0, first.bytes);
    text.remove_prefix(std::max<std::size_t>(first.bytes, 1));
  }
  return shown;
}

}  // namespace c2rl
