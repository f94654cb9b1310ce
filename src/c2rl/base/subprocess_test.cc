#include "c2rl/base/subprocess.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "c2rl/base/file.h"

namespace c2rl {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

SubprocessOptions shell(const std::string& script) {
  return {.command = {"sh", "-c", script}};
}

/// What receiving a line from a script comes to.
std::string failure_of(const SubprocessOptions& options) {
  try {
    Subprocess program(options);
    return "received " + program.receive();
  } catch (const SubprocessFailed& error) {
    return error.what();
  }
}

bool is_there(pid_t process) {
  // Only a process that is no zombie has a command line.
  std::ifstream file(fmt::format("/proc/{}/cmdline", process));
  return file.get() != std::ifstream::traits_type::eof();
}

TEST(Subprocess, SpeaksInLines) {
  Subprocess program({.command = {"cat"}});
  program.send("one");
  program.send("");
  program.send("three \xC3\xA9");
  EXPECT_EQ(program.receive(), "one");
  EXPECT_EQ(program.receive(), "");
  EXPECT_EQ(program.receive(), "three \xC3\xA9");
}

TEST(Subprocess, PutsPartsOfALineTogether) {
  Subprocess program(shell("printf o; sleep 0.05; printf n; sleep 0.05; printf 'e\\ntwo\\n'; sleep 10"));
  EXPECT_EQ(program.receive(), "one");
  EXPECT_EQ(program.receive(), "two");
}

// More than a pipe holds, both ways at once.
TEST(Subprocess, LongLinesGoThrough) {
  Subprocess program({.command = {"cat"}});
  const std::string line(3'000'000, 'x');
  program.send(line);
  EXPECT_EQ(program.receive(), line);
}

TEST(Subprocess, SaysWhyNothingComes) {
  EXPECT_EQ(failure_of({.command = {"/no/such/program"}}),
            "'/no/such/program' cannot be started: No such file or directory");
  EXPECT_EQ(failure_of({.command = {"cat"}, .directory = "/no/such/directory"}),
            "'cat' cannot be started in /no/such/directory: No such file or directory");
  EXPECT_EQ(failure_of({}), "cannot be started: there is no command");
  EXPECT_EQ(failure_of(shell("exit 3")), "'sh' ended with exit status 3");
  EXPECT_EQ(failure_of(shell("printf half; exit 0")), "'sh' ended with exit status 0");
  EXPECT_EQ(failure_of(shell("kill -SEGV $$")), "'sh' was ended by signal 11 (SIGSEGV)");
  EXPECT_EQ(failure_of(shell("echo first >&2; echo no data >&2; exit 1")),
            "'sh' ended with exit status 1; the last it wrote to its standard error:\nfirst\nno data");
  EXPECT_EQ(failure_of(shell("exec >&-; sleep 10")), "'sh' closed its standard output");
  // What it started keeps the output open.
  EXPECT_EQ(failure_of(shell("sleep 10 & exit 5")), "'sh' ended with exit status 5");
}

TEST(Subprocess, OutputHasLimits) {
  SubprocessOptions endless = shell("cat /dev/zero");
  endless.longest_line = 100'000;
  EXPECT_EQ(failure_of(endless), "'sh' wrote a line of more than 100000 bytes");
  SubprocessOptions chatty = shell("yes complaint 1>&2 & sleep 0.2; kill $!; echo done; sleep 10");
  chatty.log = testing::TempDir() + "c2rl_subprocess_log";
  chatty.longest_log = 5000;
  std::filesystem::remove(chatty.log);
  {
    Subprocess program(chatty);
    EXPECT_EQ(program.receive(), "done");
    EXPECT_LE(program.last_errors().size(), 4000u);
  }
  EXPECT_EQ(read_file(chatty.log).size(), 5000u);
  EXPECT_TRUE(read_file(chatty.log).starts_with("complaint\ncomplaint\n"));
  std::filesystem::remove(chatty.log);
}

TEST(Subprocess, MemoryHasALimit) {
  SubprocessOptions options = shell("ulimit -v; sleep 10");
  options.memory_limit = 64 << 20;
  Subprocess program(options);
  EXPECT_EQ(program.receive(), "65536");
}

TEST(Subprocess, WritingToOneThatIsGoneIsAFailureAndNoSignal) {
  Subprocess program(shell("exec <&-; echo deaf; sleep 10"));
  EXPECT_EQ(program.receive(), "deaf");
  EXPECT_THROW(program.send("hello"), SubprocessFailed);
  Subprocess ended(shell("exit 4"));
  try {
    for (int i = 0; i < 100; ++i) {
      ended.send("hello");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "was written to";
  } catch (const SubprocessFailed& error) {
    EXPECT_STREQ(error.what(), "'sh' ended with exit status 4");
  }
}

TEST(Subprocess, WaitingCanBeEnded) {
  Subprocess silent(shell("sleep 10"));
  const auto start = Clock::now();
  int heard = 0;
  EXPECT_THROW(silent.receive([&] {
    if (++heard == 3) throw std::runtime_error("enough");
  }),
               std::runtime_error);
  const std::string much(8'000'000, 'x');
  EXPECT_THROW(silent.send(much, [&] { throw std::runtime_error("enough"); }), std::runtime_error);
  EXPECT_LT(seconds_since(start), 1);
}

// Whatever it and what it started do about signals: all are gone in half a second, and none is left to be
// waited for.
TEST(Subprocess, EndsWithAllThatItStarted) {
  for (const char* script : {"sleep 100 & echo $!; wait",
                             "trap '' TERM; (trap '' TERM; sleep 100) & echo $!; while :; do sleep 1; done",
                             "sleep 100 & echo $!; exit 0"}) {
    SCOPED_TRACE(script);
    pid_t child = 0, grandchild = 0;
    Clock::time_point start;
    {
      Subprocess program(shell(script));
      child = program.id();
      grandchild = std::stoi(program.receive());
      EXPECT_NE(getpgid(grandchild), getpgrp());
      start = Clock::now();
    }
    EXPECT_LT(seconds_since(start), 0.8);
    EXPECT_EQ(waitpid(child, nullptr, WNOHANG), -1) << "a zombie";
    for (int i = 0; is_there(grandchild) && i < 100; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(is_there(grandchild));
  }
}

TEST(Subprocess, MayLeaveByItselfWhenItsInputEnds) {
  const std::string file = testing::TempDir() + "c2rl_subprocess_left";
  std::filesystem::remove(file);
  { const Subprocess program(shell("cat >/dev/null; echo bye > " + file)); }
  EXPECT_EQ(read_file(file), "bye\n");
  std::filesystem::remove(file);
}

// Files that are open here, a lock for one, are none of its business.
TEST(Subprocess, InheritsNothingOpen) {
  const int open_file = open("/dev/null", O_RDONLY);
  ASSERT_GE(open_file, 3);
  Subprocess program(shell(fmt::format("test -e /proc/self/fd/{} && echo open || echo closed", open_file)));
  EXPECT_EQ(program.receive(), "closed");
  close(open_file);
}

}  // namespace
}  // namespace c2rl
