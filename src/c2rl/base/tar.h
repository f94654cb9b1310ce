#pragma once

#include <map>
#include <string>
#include <string_view>

namespace c2rl {

/// The files in a tar archive, by name, as views of its bytes. Directories, links and the like are left out; "./" and
/// "/" before a name, too. Whatever the bytes are, this gives the files or an InputError that names `archive`.
std::map<std::string, std::string_view> files_of_tar(std::string_view bytes, const std::string& archive);

/// Puts an archive together. What is written depends on the files only: no dates, no owners.
class TarWriter {
 public:
  void add(const std::string& name, std::string_view content);
  /// The archive; nothing can be added after that.
  std::string finish() &&;

 private:
  std::string bytes_;
};

}  // namespace c2rl
