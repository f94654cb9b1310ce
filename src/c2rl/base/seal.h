#pragma once

#include <string>
#include <string_view>

namespace c2rl {

/// A seal is the checksum of the file or line that it stands in, so that a reader can tell any changed byte:
/// "sha256:" and 64 digits, taken while the digits were zeros. It may stand anywhere, in a comment or a field.
inline constexpr std::string_view kBlankSeal =
    "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// Fills in the first blank seal of a text, which must have one.
std::string sealed(std::string text);

/// The seal of a text that is as it was sealed; empty where it was changed since, or never was sealed.
std::string seal_of(std::string_view text);

}  // namespace c2rl
