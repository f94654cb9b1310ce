#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

// Compiled once, in toml_implementation.cc, and linked into this library.
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

namespace c2rl {

/// A TOML file with its overrides, and beside it the values that were used although they do not stand there.
/// Serves Config, which is what everyone else uses.
class TomlDocument {
 public:
  using Path = std::vector<std::string>;  // of a table, from the outermost one

  /// An InputError with line and column when the text is not TOML.
  TomlDocument(std::string_view text, const std::string& file);

  /// See Config::override_value.
  void override_value(const std::string& assignment);

  const std::string& file() const { return file_; }
  /// Null when there is no such table, or node.
  const toml::table* table(const Path& path) const;
  const toml::node* node(const Path& path, const std::string& key) const;

  template <class Value>
  void settle(const Path& path, const std::string& key, Value&& value) {
    settled_table(path).insert_or_assign(key, std::forward<Value>(value));
  }

  /// Everything given and settled, as TOML, in the order of the file; a settled value replaces a given one.
  std::string resolved() const;
  /// See Config::values.
  std::map<std::string, std::string> values() const;

 private:
  toml::table& settled_table(const Path& path);

  std::string file_;
  toml::table given_;
  toml::table settled_;
};

/// Whether a value came from an override; the path of its source then is the override, "--set key=value".
bool is_override(const toml::source_path_ptr& path);

/// One value as TOML, on one line.
std::string to_toml(const toml::node& node);

/// The keys of a table in the order of the file, those that an override added last.
std::vector<std::string> keys_in_order(const toml::table& table);

}  // namespace c2rl
