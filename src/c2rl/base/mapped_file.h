#pragma once

#include <string>
#include <string_view>

namespace c2rl {

/// A file's content, where it can be without a copy of it: pages are read as they are looked at. An InputError names a
/// file that cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return mapped_.empty() ? std::string_view(copied_) : mapped_; }

 private:
  std::string_view mapped_;
  std::string copied_;  // of what cannot be mapped: a pipe
};

}  // namespace c2rl
