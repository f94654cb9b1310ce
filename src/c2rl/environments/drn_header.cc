#include "c2rl/environments/drn_header.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"

namespace c2rl {
namespace {

constexpr std::string_view kShortestState = "state 0";

int read_count(DrnLines& lines, std::string_view keyword) {
  const std::string_view value = lines.next_unless_keyword();
  const auto count = parse_index(value);
  if (!count) lines.fail(fmt::format("{}: found '{}', expected a whole number below 2^31", keyword, value));
  return *count;
}

}  // namespace

bool DrnLines::next(std::string_view& line) {
  while (!rest_.empty()) {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (line.find('/') != std::string_view::npos) line = line.substr(0, line.find("//"));
    line = trim(line);
    if (!line.empty()) return true;
  }
  return false;
}

std::optional<std::pair<int, double>> DrnLines::next_plain_transition(std::string_view& line) {
  const char *at = rest_.data(), *const end = at + rest_.size();
  const auto is_digit = [&] { return at != end && *at >= '0' && *at <= '9'; };
  const auto skip_blanks = [&] {
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
  };
  std::pair<int, double> found;
  skip_blanks();
  const char* const begin = at;
  if (!is_digit()) return std::nullopt;
  const auto index = std::from_chars(at, end, found.first);
  at = index.ptr;
  skip_blanks();
  if (index.ec != std::errc() || at == end || *at++ != ':') return std::nullopt;
  skip_blanks();
  if (!is_digit()) return std::nullopt;
  const auto value = std::from_chars(at, end, found.second);
  if (value.ec != std::errc() || value.ptr == end || *value.ptr != '\n') return std::nullopt;
  line = {begin, value.ptr};
  rest_.remove_prefix(static_cast<std::size_t>(value.ptr + 1 - rest_.data()));
  ++number_;
  return found;
}

std::string_view DrnLines::next_unless_keyword() {
  const DrnLines before = *this;
  std::string_view line;
  if (next(line) && !line.starts_with('@')) return line;
  rest_ = before.rest_;
  number_ = before.number_;
  return {};
}

void DrnLines::fail_at(int number, const std::string& reason) const {
  throw InputError({.file = file_, .line = number}, reason);
}

DrnHeader read_drn_header(DrnLines& lines) {
  DrnHeader header;
  std::set<std::string_view> seen;
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view keyword = line.substr(0, std::min(line.find_first_of(": \t"), line.size()));
    if (!seen.insert(keyword).second) lines.fail(fmt::format("section {} stands there twice", keyword));
    const std::string_view same_line = trim(line.substr(std::min(keyword.size() + 1, line.size())));
    if (keyword == "@type") {
      if (same_line != "MDP" && same_line != "DTMC") {
        lines.fail(fmt::format("models of type '{}' are not supported; expected MDP or DTMC", same_line));
      }
      header.is_chain = same_line == "DTMC";
    } else if (keyword == "@value_type") {
      if (same_line != "double" && same_line != "rational") {
        lines.fail(
            fmt::format("values of type '{}' are not supported; expected double or rational", same_line));
      }
    } else if (keyword == "@parameters" || keyword == "@placeholders") {
      const std::string_view names = lines.next_unless_keyword();
      if (!names.empty()) {
        lines.fail(fmt::format("models with {} are not supported; found '{}'", keyword.substr(1), names));
      }
    } else if (keyword == "@reward_models") {
      std::string_view names = lines.next_unless_keyword();
      while (!trim(names).empty()) header.reward_models.emplace_back(take_word(names));
    } else if (keyword == "@nr_states") {
      header.states = read_count(lines, keyword);
    } else if (keyword == "@nr_choices") {
      header.choices = read_count(lines, keyword);
    } else if (keyword == "@model") {
      if (!seen.contains("@type")) lines.fail("section @type is missing before @model");
      if (!seen.contains("@nr_states")) lines.fail("section @nr_states is missing before @model");
      // Before anything of that size is allocated.
      if (header.states > static_cast<std::int64_t>(lines.rest().size() / kShortestState.size())) {
        lines.fail(fmt::format("the file is too short for {} states as @nr_states says", header.states));
      }
      return header;
    } else {
      lines.fail(fmt::format("found '{}', expected a section that starts with @", line));
    }
  }
  lines.fail("section @model is missing");
}

std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::string_view word = text.substr(0, std::min(text.find_first_of(" \t"), text.size()));
  text.remove_prefix(word.size());
  return word;
}

std::optional<int> parse_index(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace c2rl
