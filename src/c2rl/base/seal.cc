#include "c2rl/base/seal.h"

#include <algorithm>
#include <stdexcept>

#include "c2rl/base/sha256.h"

namespace c2rl {
namespace {

constexpr std::string_view kPrefix = "sha256:";

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

}  // namespace

std::string sealed(std::string text) {
  const std::size_t at = text.find(kBlankSeal);
  if (at == std::string::npos) throw std::logic_error("a text without a place for its seal");
  const std::string digits = sha256(text);
  text.replace(at + kPrefix.size(), digits.size(), digits);
  return text;
}

std::string seal_of(std::string_view text) {
  // There may be checksums of other things; the one that fits is the seal.
  for (std::size_t at = text.find(kPrefix); at != text.npos; at = text.find(kPrefix, at + 1)) {
    const std::string_view found = text.substr(at, kBlankSeal.size());
    if (found.size() < kBlankSeal.size()) break;
    if (!std::ranges::all_of(found.substr(kPrefix.size()), is_hex)) continue;
    Sha256 hash;
    hash.add(text.substr(0, at));
    hash.add(kBlankSeal);
    hash.add(text.substr(at + kBlankSeal.size()));
    if (hash.digits() == found.substr(kPrefix.size())) return std::string(found);
  }
  return "";
}

}  // namespace c2rl
