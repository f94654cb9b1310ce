#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "c2rl/base/error.h"

namespace c2rl {

/// One value of a CSV file: without quotes, and without blanks around it unless they were quoted.
struct CsvField {
  std::string_view text;
  const char* begin = nullptr;  // where it stands in the file's text
};

/// Reads comma-separated text record by record (RFC 4180: quotes, quotes doubled inside quotes, line breaks
/// inside quotes; lines end in LF or CRLF). Skips a UTF-8 byte order mark, blank lines, and lines that
/// start with '#'.
class CsvReader {
 public:
  /// `text` must outlive the reader and its fields; `file` is for errors.
  CsvReader(std::string_view text, std::string file);

  /// The fields of the next record, valid until the next call; false at the end. A quote that never closes,
  /// or is followed by anything but a comma or the end of the line, is an InputError.
  bool next(std::vector<CsvField>& record);

  /// Line and column (in characters) of a place in the text.
  Place place(const char* where, std::string_view field = {}) const;

 private:
  void skip_blanks();
  void skip_unused_lines();
  CsvField read_quoted();
  CsvField read_plain();

  std::string_view text_;
  std::string file_;
  const char* here_;
  const char* end_;
  std::deque<std::string> unquoted_;  // the current record's fields that had quotes inside
};

}  // namespace c2rl
