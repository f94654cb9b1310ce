#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace c2rl {

/// Thrown when a program ends, says too much, or cannot be started; says which, with the last that it wrote to
/// its standard error.
struct SubprocessFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct SubprocessOptions {
  std::vector<std::string> command;    // the program, looked up in PATH, and its arguments
  std::string directory = {};          // that it runs in; empty: ours
  std::int64_t memory_limit = 0;       // bytes of address space; 0: none
  std::size_t longest_line = 1 << 26;  // bytes; a longer line is a failure
  std::string log = {};                // a file that its standard error is added to; empty: none
  std::size_t longest_log = 1 << 24;   // bytes that one start of the program adds to it at most
};

/// A program that is spoken to line by line over its standard input and output. It runs in a process group of
/// its own, so that Ctrl-C is ours to answer, and ends when this does, with all that it started and at the
/// latest half a second later. For one thread at a time.
class Subprocess {
 public:
  /// Called about every 20 ms while waiting; what it throws ends the wait.
  using Waiting = std::function<void()>;

  /// SubprocessFailed where there is no such program.
  explicit Subprocess(const SubprocessOptions& options);
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  /// Writes a line, to which the end is added.
  void send(std::string_view line, const Waiting& waiting = {});
  /// The next line, without its end.
  std::string receive(const Waiting& waiting = {});

  /// SubprocessFailed for this reason, with the last that it wrote to its standard error.
  [[noreturn]] void fail(const std::string& reason);

  pid_t id() const { return id_; }
  /// The last that it wrote to its standard error.
  const std::string& last_errors() const { return last_errors_; }

 private:
  void start(const SubprocessOptions& options);
  /// Waits until something can be read or, where something is to be written, written; reads it.
  void wait(bool writing, const Waiting& waiting);
  void read_output();
  void read_errors();
  void log(std::string_view text);
  bool has_exited(int milliseconds) const;
  [[noreturn]] void fail_ended(const std::string& reason);

  SubprocessOptions options_;
  pid_t id_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;  // our ends of its pipes
  int log_ = -1;
  std::size_t logged_ = 0;
  std::string received_;  // what is not asked for yet
  std::size_t seen_ = 0;  // of it, without the end of a line
  std::string last_errors_;
};

}  // namespace c2rl
