#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "c2rl/base/file.h"
#include "c2rl/run/run_directory.h"

namespace c2rl {

/// Reads the record of a run, and when asked again only what was appended since.
class RecordReader {
 public:
  /// What is there now, as RecordFile::read has it. Lines that were read before are believed to be as they were, as long
  /// as the last of them stands where it stood; else all is read anew.
  const Recorded& read(const std::string& path, const std::string& fingerprint);

 private:
  /// What follows the last line that was read; nothing where that is another one now.
  std::optional<std::string> rest() const;

  std::string path_, fingerprint_;
  std::string last_line_;
  std::size_t end_ = 0;  // of what was read
  Recorded recorded_;
};

/// record.jsonl of a run: a line for each thing done, with its number, the problem's fingerprint, and a seal.
class RecordFile {
 public:
  RecordFile(std::string path, std::string fingerprint, Sync sync)
      : path_(std::move(path)), fingerprint_(std::move(fingerprint)), sync_(sync) {}

  /// A last line that was being written when its process died is left out; no file is no lines. Damage elsewhere
  /// is an InputError that names the line, and so is a line of another run.
  Recorded read() const { return RecordReader().read(path_, fingerprint_); }
  /// Adds line `number`; it is on the disk before this returns.
  void append(const RunRecord& record, int number) const;
  /// Makes a file of the first so many lines.
  void cut_to(int lines) const;

 private:
  std::string path_, fingerprint_;
  Sync sync_;
};

}  // namespace c2rl
