#include "c2rl/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace c2rl {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other, case
/// ignored.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replace});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known) {
  // A third of the letters wrong is still a slip; more is another word.
  const int allowed = std::max(1, static_cast<int>(name.size()) / 3);
  std::optional<std::string> nearest;
  int smallest = allowed + 1;
  for (const std::string& candidate : known) {
    // Nobody slips in a name this long, and to compare two would take the product of their lengths.
    constexpr std::size_t kLongest = 200;
    if (std::max(name.size(), candidate.size()) > kLongest) continue;
    const int distance = edit_distance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 std::span<const std::string> known) {
  std::string message = fmt::format("unknown {} '{}'", kind, name);
  if (const auto nearest = nearest_name(name, known))
    return message + fmt::format("; did you mean '{}'?", *nearest);
  if (!known.empty()) message += "; known: " + join(known, ", ");
  return message;
}

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    // Too large or too small for a double: from_chars leaves the value alone; strtod rounds it.
    return std::strtod(std::string(text).c_str(), nullptr);
  }
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string format_number(double value) {
  if (value == 0) return "0";  // also for -0
  return fmt::format("{:.6g}", value);
}

std::string format_number(double value, double size) {
  // Far above what adding and multiplying loses, and below what any solver is asked for.
  constexpr double kRounding = 1e-10;
  return format_number(std::abs(value) <= kRounding * size ? 0 : value);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts.begin(), parts.end(), separator));
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace c2rl
