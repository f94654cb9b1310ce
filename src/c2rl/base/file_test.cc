#include "c2rl/base/file.h"

#include <csignal>
#include <filesystem>
#include <functional>
#include <set>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "c2rl/base/child_testing.h"
#include "c2rl/base/error.h"
#include "c2rl/base/file_lock.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    make_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
    return names;
  }

  const std::string folder_ =
      testing::TempDir() + "c2rl_files_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string file_ = folder_ + "/file";
};

TEST_F(Files, WhatIsWrittenReplacesAllOfIt) {
  write_file(file_, "a long first content");
  write_file(file_, "short");
  EXPECT_EQ(read_file(file_), "short");
  append_to_file(file_, "er");
  EXPECT_EQ(read_file(file_), "shorter");
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

// No more may be written than a limit says, which ends as a full disk does: in the middle.
TEST_F(Files, AFullDiskLeavesTheOldContentAndSaysSo) {
  write_file(file_, "old");
  EXPECT_EQ(in_child([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{4096, 4096};
              setrlimit(RLIMIT_FSIZE, &limit);
              const std::string error = error_of([&] { write_file(file_, std::string(100'000, 'x')); });
              return error == file_ + ": cannot be written: File too large" ? 7 : 1;
            }),
            7);
  EXPECT_EQ(read_file(file_), "old");
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(Files, ErrorsNameTheFileAndTheCause) {
  EXPECT_EQ(error_of([&] { write_file(folder_ + "/none/file", "x"); }),
            folder_ + "/none/file: cannot be written: No such file or directory");
  EXPECT_EQ(error_of([&] { write_file("/proc/file", "x"); }),
            "/proc/file: cannot be written: No such file or directory");
  EXPECT_EQ(error_of([&] { append_to_file(file_, "x"); }),
            file_ + ": cannot be written: No such file or directory");
  EXPECT_NE(error_of([&] { write_file("", "x"); }), "");
  write_file(file_, "");
  EXPECT_EQ(error_of([&] { make_directories(file_); }),
            file_ + ": cannot be made: it is there, and no directory");
  EXPECT_EQ(error_of([&] { make_directories(file_ + "/inner"); }),
            file_ + "/inner: cannot be made: Not a directory");
}

// Neither a directory nor a device is a place for a file to be moved to.
TEST_F(Files, OnlyFilesAreReplaced) {
  make_directories(file_);
  EXPECT_EQ(error_of([&] { write_file(file_, "x"); }),
            file_ + ": cannot be written: it is there, and no regular file");
  EXPECT_NE(error_of([&] { write_file("/dev/null", "x"); }), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_NE(error_of([&] { remove_file(file_); }), "");
  EXPECT_TRUE(fs::is_directory(file_));
}

TEST_F(Files, LinksAreNotFollowed) {
  const std::string elsewhere = folder_ + "/elsewhere";
  write_file(elsewhere, "kept");
  const auto link = [&](const std::string& name) {
    fs::remove(name);
    fs::create_symlink(elsewhere, name);
  };
  link(file_);
  link(folder_ + "/.c2rl-file.part");
  write_file(file_, "new");
  EXPECT_FALSE(fs::is_symlink(file_));
  EXPECT_EQ(read_file(file_), "new");
  link(file_);
  EXPECT_EQ(error_of([&] { append_to_file(file_, "more"); }),
            file_ + ": cannot be written: it is a symbolic link");
  remove_file(file_);
  EXPECT_EQ(names(), std::set<std::string>{"elsewhere"});
  EXPECT_EQ(read_file(elsewhere), "kept");
}

// Killed at any moment, the writer leaves one of the contents it wrote, whole.
TEST_F(Files, AKilledWriterLeavesAWholeFile) {
  const std::string a(300'000, 'a'), b(300'000, 'b');
  write_file(file_, a);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      while (true) {
        write_file(file_, b, Sync::no);
        write_file(file_, a, Sync::no);
      }
    }
    usleep(static_cast<useconds_t>(700 * i));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string left = read_file(file_);
    EXPECT_TRUE(left == a || left == b) << left.size();
  }
  for (const std::string& name : names()) EXPECT_TRUE(name == "file" || is_unfinished_file(name)) << name;
  write_file(file_, a);
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(Files, NamesStayInTheirDirectory) {
  for (const char* good : {"a", "call-1.safetensors", "..a", "a b", "\xc3\xa9t\xc3\xa9"})
    EXPECT_TRUE(is_file_name(good)) << good;
  for (const char* bad : {"", ".", "..", "a/b", "/a", "a\\b", "a\nb", "a\x1b[2J", "\x7f"})
    EXPECT_FALSE(is_file_name(bad)) << bad;
}

TEST_F(Files, ASecondWriterIsToldWhoTheFirstIs) {
  const std::string lock = folder_ + "/lock";
  {
    const FileLock mine(lock, "runs/a");
    EXPECT_EQ(in_child([&] {
                const std::string error = error_of([&] { const FileLock second(lock, "runs/a"); });
                const bool names_holder = error.starts_with("runs/a: is being written by process " +
                                                            std::to_string(getppid()) + " on ");
                return names_holder && error.ends_with(" UTC") ? 7 : 1;
              }),
              7);
    EXPECT_NE(error_of([&] { const FileLock second(lock, "runs/a"); }), "");
  }
  EXPECT_EQ(names(), std::set<std::string>{});
  const FileLock again(lock, "runs/a");
}

TEST_F(Files, AKilledProcessHoldsNothing) {
  const std::string lock = folder_ + "/lock";
  in_child([&] {
    const FileLock held(lock, "runs/a");
    return raise(SIGKILL);
  });
  EXPECT_EQ(names(), std::set<std::string>{"lock"});
  const FileLock mine(lock, "runs/a");
}

TEST_F(Files, ALockIsNoLink) {
  write_file(file_, "kept");
  fs::create_symlink(file_, folder_ + "/lock");
  EXPECT_NE(error_of([&] { const FileLock lock(folder_ + "/lock", "runs/a"); }), "");
  EXPECT_EQ(read_file(file_), "kept");
}

}  // namespace
}  // namespace c2rl
