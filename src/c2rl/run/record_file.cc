#include "c2rl/run/record_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/seal.h"
#include "c2rl/run/record_json.h"

namespace c2rl {
namespace {

/// The lines of a text, the last of which may have no end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool is_whole(std::string_view line) {
  return line.ends_with('\n') && !seal_of(line).empty();
}

}  // namespace

std::optional<std::string> RecordReader::rest() const {
  std::ifstream file(path_, std::ios::binary);
  const std::size_t begin = end_ - last_line_.size();
  file.seekg(static_cast<std::streamoff>(begin));
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file || !text.starts_with(last_line_)) return std::nullopt;
  return text.substr(last_line_.size());
}

const Recorded& RecordReader::read(const std::string& path, const std::string& fingerprint) {
  std::optional<std::string> text;
  if (end_ > 0 && path == path_ && fingerprint == fingerprint_) text = rest();
  if (!text) {
    *this = {};
    path_ = path;
    fingerprint_ = fingerprint;
    if (!std::filesystem::exists(path_)) return recorded_;
    text = read_file(path_);
  }
  recorded_.torn_line = 0;
  const std::vector<std::string_view> lines = lines_of(*text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int number = static_cast<int>(recorded_.records.size()) + 1;
    const auto fail = [&](const std::string& why) { throw InputError({.file = path_, .line = number}, why); };
    if (!is_whole(lines[i])) {
      // Lines are written one by one. What is left of the last may look like two, if a byte of it became an end.
      const bool is_last = i + 1 == lines.size() || (i + 2 == lines.size() && !is_whole(lines[i + 1]));
      if (!is_last) fail("is damaged: it is not as it was written, by its seal");
      recorded_.torn_line = number;
      break;
    }
    try {
      const Json json = parse_json(lines[i]);
      const JsonObject object(json);
      if (object.text("problem") != fingerprint_) fail("is of a run of another problem");
      if (object.integer("line") != number)
        fail(fmt::format("has number {}, expected {}", object.integer("line"), number));
      recorded_.records.push_back(record_from_json(json));
    } catch (const InputError& error) {
      throw error.within({.file = path_, .line = number});
    }
    last_line_ = lines[i];
    end_ += last_line_.size();
  }
  return recorded_;
}

void RecordFile::append(const RunRecord& record, int number) const {
  Json json = {{"line", number}};
  json.update(to_json(record));
  json["problem"] = fingerprint_;
  json["seal"] = kBlankSeal;
  append_to_file(path_, sealed(to_text(json) + "\n"), sync_);
}

void RecordFile::cut_to(int lines) const {
  const bool there = std::filesystem::exists(path_);
  const std::string text = there ? read_file(path_) : "";
  std::size_t end = 0;
  for (const std::string_view line : lines_of(text)) {
    if (lines-- <= 0) break;
    end += line.size();
  }
  if (!there || end < text.size()) write_file(path_, text.substr(0, end), sync_);
}

}  // namespace c2rl
