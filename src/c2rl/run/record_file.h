#pragma once

#include <string>

#include "c2rl/base/file.h"
#include "c2rl/run/run_directory.h"

namespace c2rl {

/// record.jsonl of a run: a line for each thing done, with its number, the problem's fingerprint, and a seal.
class RecordFile {
 public:
  RecordFile(std::string path, std::string fingerprint, Sync sync)
      : path_(std::move(path)), fingerprint_(std::move(fingerprint)), sync_(sync) {}

  /// A last line that was being written when its process died is left out; no file is no lines. Damage elsewhere
  /// is an InputError that names the line, and so is a line of another run.
  Recorded read() const;
  /// Adds line `number`; it is on the disk before this returns.
  void append(const RunRecord& record, int number) const;
  /// Makes a file of the first so many lines.
  void cut_to(int lines) const;

 private:
  std::string path_, fingerprint_;
  Sync sync_;
};

}  // namespace c2rl
