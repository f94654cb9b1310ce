#include "c2rl/base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw InputError({.file = path}, std::string(what) + ": " + std::strerror(errno));
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

void write_file(const std::string& path, std::string_view content) {
  FilePtr file(std::fopen(path.c_str(), "wb"));
  if (!file) fail(path, "cannot be written");
  const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
  // Buffered bytes may fail as late as here.
  if (std::fclose(file.release()) != 0 || !written) fail(path, "cannot be written");
}

}  // namespace c2rl
