#include "c2rl/base/toml_document.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/base/toml_limits.h"

namespace c2rl {
namespace {

/// Values that came from an override name it as their file.
constexpr std::string_view kOverridePrefix = "--set ";

toml::table parse_within_limits(std::string_view text, const std::string& file) {
  check_toml_limits(text, file);
  return toml::parse(text, file);
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  try {
    return parse_within_limits(text, file);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError({.file = file, .line = static_cast<int>(at.line), .column = static_cast<int>(at.column)},
                     error.what());
  }
}

/// One value as TOML, numbers written in one way only.
std::string plain_value(const toml::node& node) {
  if (const auto* number = node.as_floating_point()) {
    constexpr double kWhole = 9007199254740992;  // up to here every whole number is a double
    const double value = number->get();
    if (std::abs(value) <= kWhole && value == std::floor(value))
      return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  if (const auto* array = node.as_array()) {
    std::vector<std::string> elements;
    for (const toml::node& element : *array) elements.push_back(plain_value(element));
    return "[" + join(elements, ", ") + "]";
  }
  return to_toml(node);
}

void collect_values(const toml::table& table, const std::string& prefix,
                    std::map<std::string, std::string>& values) {
  for (auto&& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      collect_values(*inner, name + ".", values);
    } else {
      values[name] = plain_value(node);
    }
  }
}

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::toml_formatter(toml::value<std::string>(text), toml::format_flags::none);
  return out.str();
}

void merge_override(toml::table& into, toml::table&& from, const std::string& origin) {
  for (auto&& [key, node] : from) {
    toml::node* there = into.get(key.str());
    toml::table* inner = node.as_table();
    const bool is_path = inner && !inner->is_inline();
    if (is_path && there && !there->is_table()) {
      throw InputError({.file = origin}, fmt::format("'{}' is not a section", key.str()));
    }
    if (is_path && there) {
      merge_override(*there->as_table(), std::move(*inner), origin);
    } else {
      node.visit([&, &key = key](auto& value) { into.insert_or_assign(key, std::move(value)); });
    }
  }
}

std::string written_key(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  return bare ? key : quoted(key);
}

/// A text of several lines starts on a line of its own, so that a map reads as one.
std::string written_value(const toml::node& node) {
  const auto text = node.value_exact<std::string>();
  const bool plain_lines =
      text && text->find('\n') != text->npos && std::all_of(text->begin(), text->end(), [](unsigned char c) {
        return c == '\n' || (c >= ' ' && c != '"' && c != '\\' && c != 0x7f);
      });
  return plain_lines ? "\"\"\"\n" + *text + "\"\"\"" : to_toml(node);
}

/// Writes a section: its values in the order of the file, then the defaults that were used, then its
/// sections. Either table may be missing.
void write_section(std::string& out, const toml::table* given, const toml::table* settled,
                   const std::string& name) {
  std::vector<std::string> keys = given ? keys_in_order(*given) : std::vector<std::string>();
  if (settled) {
    for (auto&& [key, node] : *settled) {
      if (!given || !given->contains(key.str())) keys.emplace_back(key.str());
    }
  }
  const auto in = [](const toml::table* table, const std::string& key) {
    return table ? table->get(key) : nullptr;
  };
  std::vector<std::string> sections;
  for (const std::string& key : keys) {
    const toml::node* node = in(settled, key) ? in(settled, key) : in(given, key);
    if (node->is_table()) {
      sections.push_back(key);
    } else {
      out += written_key(key) + " = " + written_value(*node) + "\n";
    }
  }
  const auto table = [](const toml::node* node) { return node ? node->as_table() : nullptr; };
  for (const std::string& key : sections) {
    const std::string inner = name.empty() ? written_key(key) : name + "." + written_key(key);
    out += "\n[" + inner + "]\n";
    write_section(out, table(in(given, key)), table(in(settled, key)), inner);
  }
}

}  // namespace

bool is_override(const toml::source_path_ptr& path) {
  return path && path->starts_with(kOverridePrefix);
}

std::string to_toml(const toml::node& node) {
  if (const auto* number = node.as_floating_point()) {
    // The fewest digits that read back as the same double; a point, so that it stays one.
    const std::string digits = fmt::format("{}", number->get());
    return digits.find_first_not_of("-0123456789") == std::string::npos ? digits + ".0" : digits;
  }
  if (const auto* text = node.as_string()) return quoted(text->get());
  if (const auto* array = node.as_array()) {
    std::vector<std::string> elements;
    for (const toml::node& element : *array) elements.push_back(to_toml(element));
    return "[" + join(elements, ", ") + "]";
  }
  std::ostringstream out;
  node.visit([&](const auto& value) { out << toml::toml_formatter(value); });
  return out.str();
}

std::vector<std::string> keys_in_order(const toml::table& table) {
  std::vector<std::tuple<bool, toml::source_index, toml::source_index, std::string>> keys;
  for (auto&& [key, node] : table) {
    const toml::source_region& at = key.source();
    keys.emplace_back(is_override(at.path), at.begin.line, at.begin.column, std::string(key.str()));
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (auto& entry : keys) names.push_back(std::move(std::get<3>(entry)));
  return names;
}

TomlDocument::TomlDocument(std::string_view text, const std::string& file)
    : file_(file), given_(parse_toml(text, file)) {}

void TomlDocument::override_value(const std::string& assignment) {
  const std::string origin = std::string(kOverridePrefix) + assignment;
  const InputError malformed({.file = origin}, "expected section.key=value");
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos) throw malformed;
  const std::string key(trim(std::string_view(assignment).substr(0, equals)));
  const std::string value(trim(std::string_view(assignment).substr(equals + 1)));
  if (key.empty() || value.empty() || key.find('\n') != std::string::npos) throw malformed;
  toml::table parsed;
  try {
    // A line break would let a value bring further keys along.
    const bool one_line = value.find('\n') == std::string::npos;
    parsed = parse_within_limits(key + " = " + (one_line ? value : quoted(value)), origin);
  } catch (const toml::parse_error&) {
    try {
      parsed = parse_within_limits(key + " = " + quoted(value), origin);
    } catch (const toml::parse_error&) {
      throw malformed;
    }
  }
  merge_override(given_, std::move(parsed), origin);
}

const toml::table* TomlDocument::table(const Path& path) const {
  const toml::table* inner = &given_;
  for (const std::string& part : path) {
    const toml::node* node = inner->get(part);
    inner = node ? node->as_table() : nullptr;
    if (!inner) break;
  }
  return inner;
}

const toml::node* TomlDocument::node(const Path& path, const std::string& key) const {
  const toml::table* section = table(path);
  return section ? section->get(key) : nullptr;
}

toml::table& TomlDocument::settled_table(const Path& path) {
  toml::table* section = &settled_;
  for (const std::string& part : path)
    section = section->insert(part, toml::table()).first->second.as_table();
  return *section;
}

std::string TomlDocument::resolved() const {
  std::string out;
  write_section(out, &given_, &settled_, "");
  return out;
}

std::map<std::string, std::string> TomlDocument::values() const {
  std::map<std::string, std::string> values;
  collect_values(given_, "", values);
  collect_values(settled_, "", values);
  return values;
}

}  // namespace c2rl
