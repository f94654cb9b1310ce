#include "c2rl/base/file_lock.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "c2rl/base/error.h"

namespace c2rl {
namespace {

std::string holder() {
  std::array<char, 256> host = {}, since = {};
  ::gethostname(host.data(), host.size() - 1);
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return fmt::format("process {} on {} since {}", ::getpid(), host.data(), since.data());
}

std::string read_holder(int descriptor) {
  std::array<char, 512> text = {};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

/// Whether an open file is still the one of that name.
bool is_in_place(int descriptor, const std::string& file) {
  struct stat opened = {}, named = {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

FileLock::FileLock(const std::string& file, const std::string& subject) : file_(file) {
  while (true) {
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
      throw InputError({.file = file}, std::string("cannot be made: ") + std::strerror(errno));
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string who = read_holder(descriptor_);
      ::close(descriptor_);
      if (error != EWOULDBLOCK)
        throw InputError({.file = file}, std::string("cannot be locked: ") + std::strerror(error));
      throw InputError({.file = subject}, "is being written by " + who);
    }
    // The last holder may have removed it between the opening and the locking.
    if (is_in_place(descriptor_, file)) break;
    ::close(descriptor_);
  }
  // Only for whoever reads it: that the file is locked does not depend on what it says.
  const std::string text = holder();
  if (::ftruncate(descriptor_, 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), 0);
  }
}

FileLock::~FileLock() {
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace c2rl
