#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "c2rl/base/error.h"
#include "c2rl/base/vector.h"

namespace c2rl {

/// A section of a problem file (TOML), the whole file being the outermost one. A section knows where its keys
/// stand, so that every complaint names file, line and field: "problem.toml:4: environment.horizon: found -1,
/// expected ...".
///
/// Asking for a key makes it known; `reject_unknown_keys` then finds what nobody asked for. Asking with a
/// default settles the key: `resolved` writes it out. Copies are cheap and stand for the same section.
class Config {
 public:
  /// A line of a multi-line text. The place's column is that of the first character; 0 when the text was
  /// written with escapes, so that its lines are not lines of the file.
  struct Line {
    std::string text;
    Place place;
  };

  /// The file at `path`; an InputError when it cannot be read or is not TOML.
  static Config read(const std::string& path);
  /// The same for text at hand; `file` names it in messages.
  static Config parse(std::string_view text, const std::string& file);

  /// Replaces or adds one value, on the outermost section: "solver.tolerance=1e-3". The value is TOML where
  /// it can be read as such, else plain text, so that "oracle.kind=q-learning" needs no quotes.
  void override_value(const std::string& assignment);

  /// The value of a key. Without a default the key must be there; a value of another type is an InputError.
  double number(const std::string& key, std::optional<double> fallback = {}) const;
  std::int64_t integer(const std::string& key, std::optional<std::int64_t> fallback = {}) const;
  bool boolean(const std::string& key, std::optional<bool> fallback = {}) const;
  std::string text(const std::string& key, const std::optional<std::string>& fallback = {}) const;
  std::vector<std::string> text_list(const std::string& key,
                                     const std::optional<std::vector<std::string>>& fallback = {}) const;
  Vector vector(const std::string& key, const std::optional<Vector>& fallback = {}) const;
  /// One of the allowed names; an InputError that suggests the nearest one otherwise.
  std::string choice(const std::string& key, std::span<const std::string> allowed,
                     const std::optional<std::string>& fallback = {}) const;
  /// The lines of a text; empty lines at its end are left out.
  std::vector<Line> lines(const std::string& key) const;
  /// The path of a file. Relative paths are relative to the problem file, those of an override to where the
  /// command runs. Resolved to an absolute path, so that the resolved problem finds the file from anywhere.
  std::string file_path(const std::string& key, const std::optional<std::string>& fallback = {}) const;
  /// A section within this one; an empty one when the file has none.
  Config section(const std::string& key) const;

  bool has(const std::string& key) const;
  /// The keys that are there, in the order of the file, without making them known.
  std::vector<std::string> keys() const;

  /// "environment.horizon", and where it stands; the section itself when the key is not there.
  Place place(const std::string& key) const;
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  /// What was found wrong with a value of this section: at the key that the error names, else at `key`.
  [[noreturn]] void fail(const std::string& key, const InputError& error) const;
  /// Unless `holds`, an InputError that says what was found under the key and what was expected.
  void expect(bool holds, const std::string& key, const std::string& expected) const;

  /// An InputError for the first key, of this section and all within it, that was never asked for.
  void reject_unknown_keys() const;
  /// The same for this section alone, and what is known beforehand.
  void reject_keys_except(std::span<const std::string> known) const;

  /// The whole file as TOML, with every default that was used filled in.
  std::string resolved() const;
  /// The same value by value, by their full keys, "environment.horizon": equal values are equal texts, also
  /// where one was written 1e6 and the other 1000000.
  std::map<std::string, std::string> values() const;
  /// The full keys whose values turned out to be paths of files, and the paths.
  const std::map<std::string, std::string>& files() const;

 private:
  struct Document;

  Config(std::shared_ptr<Document> document, std::vector<std::string> path);

  std::shared_ptr<Document> document_;
  std::vector<std::string> path_;  // of this section within the document
};

}  // namespace c2rl
