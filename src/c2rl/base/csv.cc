#include "c2rl/base/csv.h"

#include <algorithm>
#include <utility>

namespace c2rl {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}  // in UTF-8

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  here_ = text_.data();
  end_ = text_.data() + text_.size();
}

bool CsvReader::next(std::vector<CsvField>& record) {
  record.clear();
  unquoted_.clear();
  skip_unused_lines();
  if (here_ == end_) return false;
  for (;;) {
    skip_blanks();
    record.push_back(here_ != end_ && *here_ == '"' ? read_quoted() : read_plain());
    if (here_ == end_) return true;
    if (*here_++ == '\n') return true;
  }
}

void CsvReader::skip_blanks() {
  while (here_ != end_ && is_blank(*here_)) ++here_;
}

void CsvReader::skip_unused_lines() {
  while (here_ != end_) {
    const char* const line = here_;
    if (*line == '#') {
      here_ = std::find(here_, end_, '\n');
    } else {
      skip_blanks();
      if (here_ != end_ && *here_ != '\n') {
        here_ = line;
        return;
      }
    }
    if (here_ != end_) ++here_;
  }
}

CsvField CsvReader::read_plain() {
  const char* const begin = here_;
  while (here_ != end_ && *here_ != ',' && *here_ != '\n') ++here_;
  const char* last = here_;
  while (last != begin && is_blank(last[-1])) --last;
  return {std::string_view(begin, last), begin};
}

CsvField CsvReader::read_quoted() {
  const char* const open = here_++;
  const char* piece = here_;
  std::string* joined = nullptr;
  for (;;) {
    here_ = std::find(here_, end_, '"');
    if (here_ == end_) throw InputError(place(open), "this quote is never closed");
    if (here_ + 1 == end_ || here_[1] != '"') break;
    // A doubled quote stands for one: the field is no longer a part of the text.
    if (joined == nullptr) joined = &unquoted_.emplace_back();
    joined->append(piece, here_ + 1);
    here_ += 2;
    piece = here_;
  }
  CsvField field{std::string_view(piece, here_), open};
  if (joined != nullptr) field.text = joined->append(field.text);
  ++here_;
  skip_blanks();
  if (here_ != end_ && *here_ != ',' && *here_ != '\n') {
    throw InputError(place(here_),
                     "found text after a closing quote, expected a comma or the end of the line");
  }
  return field;
}

Place CsvReader::place(const char* where, std::string_view field) const {
  const char* line = where;
  while (line != text_.data() && line[-1] != '\n') --line;
  return {.file = file_,
          .line = 1 + static_cast<int>(std::count(text_.data(), where, '\n')),
          .column = 1 + static_cast<int>(std::count_if(line, where, starts_character)),
          .field = std::string(field)};
}

}  // namespace c2rl
