#include "c2rl/base/config.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "c2rl/base/file.h"
#include "c2rl/base/text.h"
#include "c2rl/base/toml_document.h"

namespace c2rl {
namespace {

/// What a message says was found.
std::string describe(const toml::node& node) {
  constexpr size_t kLongest = 60;
  if (node.is_table()) return "a table";
  const std::string text = to_toml(node);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

/// An array of values of one type; nothing when it is something else.
template <class Value>
std::optional<std::vector<Value>> list_of(const toml::node& node) {
  const toml::array* array = node.as_array();
  if (!array) return std::nullopt;
  std::vector<Value> values;
  for (const toml::node& element : *array) {
    if constexpr (std::is_same_v<Value, double>) {
      if (!element.is_number()) return std::nullopt;
    }
    const auto value = element.value<Value>();
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

toml::array to_array(const auto& values) {
  toml::array array;
  for (const auto& value : values) array.push_back(value);
  return array;
}

template <class Value>
Value to_node(const Value& value) {
  return value;
}
toml::array to_node(const std::vector<std::string>& values) {
  return to_array(values);
}
toml::array to_node(const Vector& values) {
  return to_array(values);
}

}  // namespace

struct Config::Document : TomlDocument {
  using TomlDocument::TomlDocument;

  /// The node under a key, which thereby is known; null when it is not there.
  const toml::node* ask(const Path& path, const std::string& key) {
    std::vector<std::string>& keys = known[path];
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    return node(path, key);
  }

  /// The value of a key as `read` finds it in the node, or else the default, which then is settled.
  template <class Value>
  Value value(const Config& section, const std::string& key, const std::optional<Value>& fallback,
              const std::string& expected, auto&& read) {
    if (const toml::node* node = ask(section.path_, key)) {
      const std::optional<Value> value = read(*node);
      section.expect(value.has_value(), key, expected);
      return *value;
    }
    if (!fallback) section.fail(key, "missing; expected " + expected);
    settle(section.path_, key, to_node(*fallback));
    return *fallback;
  }

  std::map<Path, std::vector<std::string>> known;  // the keys asked for, by section
  std::map<std::string, std::string> files;        // paths by full keys
};

Config::Config(std::shared_ptr<Document> document, std::vector<std::string> path)
    : document_(std::move(document)), path_(std::move(path)) {}

Config Config::read(const std::string& path) {
  return parse(read_file(path), path);
}

Config Config::parse(std::string_view text, const std::string& file) {
  return Config(std::make_shared<Document>(text, file), {});
}

void Config::override_value(const std::string& assignment) {
  document_->override_value(assignment);
}

double Config::number(const std::string& key, std::optional<double> fallback) const {
  return document_->value(*this, key, fallback, "a number", [](const toml::node& node) {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    return value && std::isnan(*value) ? std::nullopt : value;
  });
}

std::int64_t Config::integer(const std::string& key, std::optional<std::int64_t> fallback) const {
  return document_->value(*this, key, fallback, "a whole number", [](const toml::node& node) {
    // 1e6 is a float to TOML, and a whole number all the same.
    return node.is_number() ? node.value<std::int64_t>() : std::nullopt;
  });
}

bool Config::boolean(const std::string& key, std::optional<bool> fallback) const {
  return document_->value(*this, key, fallback, "true or false",
                          [](const toml::node& node) { return node.value_exact<bool>(); });
}

std::string Config::text(const std::string& key, const std::optional<std::string>& fallback) const {
  return document_->value(*this, key, fallback, "a text in quotes",
                          [](const toml::node& node) { return node.value_exact<std::string>(); });
}

std::vector<std::string> Config::text_list(const std::string& key,
                                           const std::optional<std::vector<std::string>>& fallback) const {
  return document_->value(*this, key, fallback, "a list of texts: [\"...\", \"...\"]", list_of<std::string>);
}

Vector Config::vector(const std::string& key, const std::optional<Vector>& fallback) const {
  return document_->value(*this, key, fallback, "a list of numbers: [1, 2.5]", [](const toml::node& node) {
    const auto values = list_of<double>(node);
    if (!values) return std::optional<Vector>();
    return std::optional<Vector>(
        Eigen::Map<const Vector>(values->data(), static_cast<Eigen::Index>(values->size())));
  });
}

std::string Config::choice(const std::string& key, std::span<const std::string> allowed,
                           const std::optional<std::string>& fallback) const {
  std::string name = text(key, fallback);
  if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
    fail(key, unknown_name_message(key, name, allowed));
  }
  return name;
}

std::vector<Config::Line> Config::lines(const std::string& key) const {
  const std::string whole = text(key);
  const toml::source_region& source = document_->node(path_, key)->source();
  Place place = this->place(key);
  // A line break right after the opening quotes is not part of the text: the lines then start one further
  // down.
  const auto breaks = std::count(whole.begin(), whole.end(), '\n');
  const auto extra = std::int64_t{source.end.line} - std::int64_t{source.begin.line} - breaks;
  const bool lines_of_file = breaks > 0 && (extra == 0 || extra == 1) && !is_override(source.path);
  constexpr int kOpeningQuotes = 3;
  if (lines_of_file) {
    place.line += static_cast<int>(extra);
    place.column = extra == 1 ? 1 : static_cast<int>(source.begin.column) + kOpeningQuotes;
  }
  std::vector<Line> lines;
  for (size_t begin = 0; begin <= whole.size();) {
    const size_t end = std::min(whole.find('\n', begin), whole.size());
    lines.push_back({whole.substr(begin, end - begin), place});
    if (lines.back().text.ends_with('\r')) lines.back().text.pop_back();
    begin = end + 1;
    if (lines_of_file) {
      ++place.line;
      place.column = 1;
    }
  }
  while (!lines.empty() && trim(lines.back().text).empty()) lines.pop_back();
  return lines;
}

std::string Config::file_path(const std::string& key, const std::optional<std::string>& fallback) const {
  const std::string given = text(key, fallback);
  const toml::node* node = document_->node(path_, key);
  const bool overridden = node && is_override(node->source().path);
  const std::filesystem::path folder =
      overridden ? std::filesystem::path() : std::filesystem::path(document_->file()).parent_path();
  std::string path = std::filesystem::absolute(folder / given).lexically_normal().string();
  document_->settle(path_, key, path);
  document_->files[place(key).field] = path;
  return path;
}

Config Config::section(const std::string& key) const {
  const toml::node* node = document_->ask(path_, key);
  expect(!node || node->is_table(), key, "a section");
  std::vector<std::string> path = path_;
  path.push_back(key);
  return Config(document_, std::move(path));
}

bool Config::has(const std::string& key) const {
  return document_->ask(path_, key) != nullptr;
}

std::vector<std::string> Config::keys() const {
  const toml::table* table = document_->table(path_);
  return table ? keys_in_order(*table) : std::vector<std::string>();
}

Place Config::place(const std::string& key) const {
  Place place;
  for (const std::string& part : path_) place.field += part + ".";
  place.field += key;
  const toml::node* node = document_->node(path_, key);
  if (!node) node = document_->table(path_);
  // The file as a whole has no line of its own.
  const bool has_line = node && node != document_->table({});
  if (has_line && is_override(node->source().path)) {
    place.file = *node->source().path;
  } else {
    place.file = document_->file();
    if (has_line) place.line = static_cast<int>(node->source().begin.line);
  }
  return place;
}

void Config::fail(const std::string& key, const std::string& message) const {
  throw InputError(place(key), message);
}

void Config::fail(const std::string& key, const InputError& error) const {
  const std::string& named = error.place().field;
  const std::vector<std::string>& known = document_->known[path_];
  if (std::find(known.begin(), known.end(), named) != known.end())
    throw InputError(place(named), error.message());
  throw InputError(place(key), error.what());
}

void Config::expect(bool holds, const std::string& key, const std::string& expected) const {
  if (holds) return;
  const toml::node* node = document_->node(path_, key);
  fail(key, fmt::format("found {}, expected {}", node ? describe(*node) : "nothing", expected));
}

void Config::reject_unknown_keys() const {
  reject_keys_except(document_->known[path_]);
  for (const std::string& key : keys()) {
    if (document_->node(path_, key)->is_table()) section(key).reject_unknown_keys();
  }
}

void Config::reject_keys_except(std::span<const std::string> known) const {
  for (const std::string& key : keys()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto nearest = nearest_name(key, known);
    fail(key, nearest ? fmt::format("unknown key; did you mean '{}'?", *nearest)
                      : fmt::format("unknown key; known: {}", join(known, ", ")));
  }
}

std::string Config::resolved() const {
  return document_->resolved();
}

std::map<std::string, std::string> Config::values() const {
  return document_->values();
}

const std::map<std::string, std::string>& Config::files() const {
  return document_->files;
}

}  // namespace c2rl
