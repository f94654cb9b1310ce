#include "c2rl/base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinishedPrefix = ".c2rl-", kUnfinishedSuffix = ".part";
constexpr mode_t kMode = 0666;  // less what the user's mask takes away

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail(const std::string& path, const char* what, int error = errno) {
  throw InputError({.file = path}, std::string(what) + ": " + std::strerror(error));
}

/// An open file for writing; errors name the file that is meant by it.
class Output {
 public:
  Output(const std::string& path, int flags, std::string meant)
      : meant_(std::move(meant)),
        descriptor_(::open(path.c_str(), flags | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, kMode)) {
    if (descriptor_ < 0 && errno == ELOOP)
      throw InputError({.file = meant_}, "cannot be written: it is a symbolic link");
    if (descriptor_ < 0) fail(meant_, "cannot be written");
  }
  ~Output() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno != EINTR) fail(meant_, "cannot be written");
      if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void sync() const {
    if (::fdatasync(descriptor_) != 0) fail(meant_, "cannot be written");
  }
  /// Some file systems report a full disk as late as here.
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(meant_, "cannot be written");
  }

 private:
  std::string meant_;
  int descriptor_;
};

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Makes new and moved names of a directory outlast a loss of power, where its file system can.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a directory may be writable and not readable
  const bool failed = ::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS;
  const int error = errno;
  ::close(descriptor);
  if (failed) fail(folder, "cannot be written", error);
}

}  // namespace

std::string read_file(const std::string& path) {
  constexpr size_t kChunk = size_t{1} << 20;
  const FilePtr file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, "cannot be read");
  std::string content;
  size_t got = kChunk;
  while (got == kChunk) {
    const size_t before = content.size();
    content.resize(before + kChunk);
    got = std::fread(content.data() + before, 1, kChunk, file.get());
    content.resize(before + got);
  }
  if (std::ferror(file.get())) fail(path, "cannot be read");
  return content;
}

void write_file(const std::string& path, std::string_view content, Sync sync) {
  const fs::path target(path), folder = folder_of(target);
  if (path.empty()) throw InputError("found no name of a file to write, expected one");
  struct stat there = {};
  if (::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
    throw InputError({.file = path}, "cannot be written: it is there, and no regular file");
  const std::string draft =
      folder / (std::string(kUnfinishedPrefix) + target.filename().string() + std::string(kUnfinishedSuffix));
  ::unlink(draft.c_str());  // of a process that was killed
  try {
    Output output(draft, O_CREAT | O_EXCL, path);
    output.write(content);
    if (sync == Sync::yes) output.sync();
    output.close();
    if (std::rename(draft.c_str(), path.c_str()) != 0) fail(path, "cannot be written");
  } catch (const InputError&) {
    ::unlink(draft.c_str());
    throw;
  }
  if (sync == Sync::yes) sync_folder(folder);
}

void append_to_file(const std::string& path, std::string_view content, Sync sync) {
  Output output(path, O_APPEND, path);
  output.write(content);
  if (sync == Sync::yes) output.sync();
  output.close();
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, "cannot be removed");
}

void make_directories(const std::string& path) {
  std::error_code error;
  fs::path made;
  for (const fs::path& part : fs::path(path)) {
    made /= part;
    if (part.empty() || fs::is_directory(made, error)) continue;
    if (::mkdir(made.c_str(), 0777) != 0 && errno != EEXIST) fail(made, "cannot be made");
  }
  if (!fs::is_directory(path, error))
    throw InputError({.file = path}, "cannot be made: it is there, and no directory");
}

bool is_unfinished_file(std::string_view name) {
  return name.starts_with(kUnfinishedPrefix) && name.ends_with(kUnfinishedSuffix);
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && std::ranges::none_of(name, [](unsigned char c) {
    return c == '/' || c == '\\' || c < ' ' || c == 0x7f;
  });
}

}  // namespace c2rl
