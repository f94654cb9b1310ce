#pragma once

#include <string>

namespace c2rl {

/// One writer at a time. While it lives, no other process, and nobody else in this one, gets the same; the
/// system lets go of it when the process dies, however it dies. The file says who holds it.
class FileLock {
 public:
  /// `file` is made for it, and removed with it; `subject` is what it guards. An InputError that says which
  /// process holds it, where one does.
  FileLock(const std::string& file, const std::string& subject);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string file_;
  int descriptor_ = -1;
};

}  // namespace c2rl
