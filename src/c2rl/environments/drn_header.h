#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace c2rl {

/// The lines of a DRN file that say something: without comments, outer white space and empty lines.
class DrnLines {
 public:
  /// `text` and `file` must outlive this.
  DrnLines(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  bool next(std::string_view& line);
  /// The next line where it is "successor : probability" as nearly all are, two plain numbers. Nothing, and the line is still
  /// to come, where there is anything else about it.
  std::optional<std::pair<int, double>> next_plain_transition(std::string_view& line);
  /// The next line unless it starts with @; empty then, and the line is still to come.
  std::string_view next_unless_keyword();

  /// What is still to come.
  std::string_view rest() const { return rest_; }
  int number() const { return number_; }
  const std::string& file() const { return file_; }
  /// An InputError at the current line, or at another one.
  [[noreturn]] void fail(const std::string& reason) const { fail_at(number_, reason); }
  [[noreturn]] void fail_at(int number, const std::string& reason) const;

 private:
  std::string_view rest_;
  const std::string& file_;
  int number_ = 0;
};

/// What stands before the states.
struct DrnHeader {
  bool is_chain = false;  // DTMC: one action per state
  int states = 0;
  std::optional<int> choices;
  std::vector<std::string> reward_models;
};

/// Reads up to and including @model.
DrnHeader read_drn_header(DrnLines& lines);

/// The first word of `text`, which loses it.
std::string_view take_word(std::string_view& text);

/// A whole number from 0 to 2^31 - 1.
std::optional<int> parse_index(std::string_view text);

}  // namespace c2rl
