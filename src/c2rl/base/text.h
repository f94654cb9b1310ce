#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace c2rl {

/// The known name closest to `name`, when one is close enough to be a likely slip.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

/// "unknown KIND 'name'; did you mean 'known'?", or the list of what is known when nothing is close.
std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 std::span<const std::string> known);

/// The whole of `text` as a finite or infinite number; nothing when it is not one, or not only one.
std::optional<double> parse_number(std::string_view text);

/// A number for people: up to six significant digits, no trailing zeros.
std::string format_number(double value);
/// The same for a value computed from others of the given size: 0 where it is no more than their rounding.
std::string format_number(double value, double size);

std::string join(std::span<const std::string> parts, std::string_view separator);

/// `text` without white space at both ends.
std::string_view trim(std::string_view text);

}  // namespace c2rl
